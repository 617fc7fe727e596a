/** Tests a database that lost the end of its history. A process puts back what it acknowledged. */
import { beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { CommittedFacts, type Fact } from '../../src/core/committed-facts.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { xpubFingerprint } from '../../src/core/xpub-fingerprint.ts'
import { closeInvoice } from '../../src/payments/invoices/close-invoice.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import { deleteInvoice } from '../../src/payments/invoices/delete-invoice.ts'
import type { InvoiceType } from '../../src/payments/invoices/invoice.ts'
import {
  addressFacts,
  decisionFacts,
  invoiceFacts,
  type MadeDecision,
  quoteFacts,
  type StoredInvoice,
} from '../../src/payments/invoices/invoice-facts.ts'
import { termsMac } from '../../src/payments/invoices/terms/terms-mac.ts'
import { type Db, withFacts } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { answerOnce } from '../../src/platform/http/idempotency/answer-once.ts'
import type { LostRecord } from '../../src/recovery/lost-history/lost-record.ts'
import { putBackLost } from '../../src/recovery/lost-history/put-back.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { testMacs } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { loseAddress, loseEvents, loseFreeAddresses, loseInvoice } from '../support/lose-records.ts'
import {
  depositRecords,
  invoiceRecords,
  lostRecordRecords,
  putBackRecords,
  quoteRecords,
} from '../support/payments/records.ts'
import { auditRecords, idempotencyRecords, merchantRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { makeShop, type Shop, takePrices, testMnemonic } from '../support/shop.ts'
import { eventRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
let facts: CommittedFacts
let shop: Shop
let blocks: Blocks | undefined
let incarnation = 1

beforeEach(async () => {
  facts = new CommittedFacts(systemClock)
  shop = makeShop({ ...only(database), db: withFacts(database.db, facts) })
  await takePrices(shop)
  blocks ??= await startBlocks(current, true)
  incarnation += 1
})

const only = ({ owner, urls }: typeof database) => ({ owner, urls })

/** A proxy that forwards to the shop of the current test. */
const current = new Proxy({} as Shop, { get: (_target, name) => Reflect.get(shop, name) })
const fingerprint = xpubFingerprint(new KeyTree(testMnemonic, 1).depositXpub)

function recover(memory = facts, clock = systemClock, db = shop.db): Promise<readonly LostRecord[]> {
  const parts = { db, facts: memory, processId: newId(), clock, log: silentLog }
  const loss = { incarnation, noticedAt: new Date(), lastSeenAt: new Date(), isProven: true }
  const fingerprints = new Map([['evm', fingerprint]])
  return putBackLost({ ...parts, fingerprints, settling: shop }, loss)
}

/** Opens an invoice whose payer was shown an address. */
async function openShown(
  merchantId: string,
  type: InvoiceType = 'onetime',
): Promise<{ invoiceId: string; address: string; amountMinor: bigint }> {
  const invoiceId = await shop.openInvoice(merchantId, { type })
  const { address, amountMinor } = await shop.addressFor(invoiceId)
  return { invoiceId, address, amountMinor }
}

const deleteAs = (merchantId: string, invoiceId: string) =>
  deleteInvoice(shop, { caller: { type: 'key', merchantId } as never, merchantId, invoiceId })

/** Opens two invoices: the merchant deletes one and closes the other. */
async function openDecided() {
  const merchantId = await shop.openMerchant()
  const deleted = await openShown(merchantId)
  const closed = await openShown(merchantId, 'reusable')
  await deleteAs(merchantId, deleted.invoiceId)
  const caller = { type: 'key', merchantId } as never
  await closeInvoice(shop, { caller, merchantId, invoiceId: closed.invoiceId })
  return { merchantId, deleted, closed }
}

/** Returns the memory of a process that saw only these invoices and decisions. */
function remembering(
  invoices: readonly Fact<StoredInvoice>[],
  decisions: readonly Fact<MadeDecision>[],
): CommittedFacts {
  const memory = new CommittedFacts(systemClock)
  for (const fact of invoices) memory.note(invoiceFacts, fact)
  for (const fact of decisions) memory.note(decisionFacts, fact)
  return memory
}

async function decidedOf(id: string) {
  const { deletedAt, closedAt, state } = await invoiceRecords.one(shop.db, { id })
  return { deleted: deletedAt !== null, closed: closedAt !== null, state }
}

async function pay(address: string, amountMinor: bigint): Promise<void> {
  const made = required(blocks, 'blocks')
  await made.mine([made.pay(address, amountMinor)])
  await made.mine()
}

const stateOf = (id: string) => invoiceRecords.one(shop.db, { id }, 'state', 'amount', 'createdAt')
const namedOf = (kind: string) => lostRecordRecords.all(shop.db, { incarnation, kind }, 'id', 'outcome')
const exists = async (id: string) => (await invoiceRecords.all(shop.db, { id })).length === 1

describe('an acknowledged record that was lost', () => {
  it('is put back with its id, address and price, so that its payment is credited', async () => {
    const merchantId = await shop.openMerchant()
    const { invoiceId, address, amountMinor } = await openShown(merchantId)
    const before = await stateOf(invoiceId)
    const quotes = await quoteRecords.all(shop.db, { invoiceId })
    await loseInvoice(database, invoiceId)
    await loseFreeAddresses(database)
    const records = await recover()
    expect(records.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'invoice put-back',
      'address put-back',
      'quote put-back',
    ])
    expect(await stateOf(invoiceId)).toEqual(before)
    expect(await quoteRecords.all(shop.db, { invoiceId })).toEqual(quotes)
    expect((await shop.addressFor(invoiceId)).address).toBe(address)
    await pay(address, amountMinor)
    expect(await stateOf(invoiceId)).toMatchObject({ state: 'paid' })
    expect((await balancesIn(shop, merchantId)).available).toBeGreaterThan(0n)
    await expectSoundBooks(shop)
  })

  it('is put back once, however often it is compared, and reported the same each time', async () => {
    const { invoiceId } = await openShown(await shop.openMerchant())
    await loseInvoice(database, invoiceId)
    await recover()
    const auditOf = () => auditRecords.all(shop.db, { subject: invoiceId, action: 'invoice.restored' })
    const first = await auditOf()
    expect(first).toMatchObject([{ details: { reason: 'restored after a loss', incarnation } }])
    expect(await recover()).toEqual([])
    expect(await auditOf()).toEqual(first)
    expect(await namedOf('invoice')).toEqual([{ id: invoiceId, outcome: 'put-back' }])
  })

  it('does not change records that still exist', async () => {
    const { invoiceId, address, amountMinor } = await openShown(await shop.openMerchant())
    await pay(address, amountMinor)
    expect(await recover()).toEqual([])
    expect(await stateOf(invoiceId)).toMatchObject({ state: 'paid' })
    expect(await auditRecords.all(shop.db, { subject: invoiceId })).toEqual([])
  })

  it('gets its address back if only the address was lost', async () => {
    const merchantId = await shop.openMerchant()
    const { invoiceId, address, amountMinor } = await openShown(merchantId)
    await loseAddress(database, invoiceId)
    await recover()
    await pay(address, amountMinor)
    expect(await stateOf(invoiceId)).toMatchObject({ state: 'paid' })
  })

  it('is reported if the invoice has another address now', async () => {
    const { invoiceId, address } = await openShown(await shop.openMerchant())
    await loseAddress(database, invoiceId)
    const other = await shop.addressFor(invoiceId)
    expect(other.address).not.toBe(address)
    await recover()
    expect(await namedOf('address')).toMatchObject([{ outcome: 'named' }])
    expect((await shop.addressFor(invoiceId)).address).toBe(other.address)
  })

  it('is put back for a merchant that was deleted since, and its payment is kept for the merchant', async () => {
    const merchantId = await shop.openMerchant()
    const { invoiceId, address, amountMinor } = await openShown(merchantId)
    await loseInvoice(database, invoiceId)
    await merchantRecords.change(shop.db, { id: merchantId }, { deletedAt: now })
    await recover()
    await pay(address, amountMinor)
    expect((await balancesIn(shop, merchantId)).available).toBe(0n)
    const { merchantId: owner } = await depositRecords.one(shop.db, { invoiceId }, 'merchantId')
    expect(owner).toBe(merchantId)
    await expectSoundBooks(shop)
  })

  it('is reported if its merchant is lost as well', async () => {
    const merchantId = await shop.openMerchant()
    const { invoiceId } = await openShown(merchantId)
    await loseInvoice(database, invoiceId)
    await merchantRecords.remove(database.owner, { id: merchantId })
    await recover()
    expect(await exists(invoiceId)).toBe(false)
    expect(await namedOf('invoice')).toEqual([{ id: invoiceId, outcome: 'named' }])
  })

  it('is put back without its reference if another invoice has taken the reference since', async () => {
    const merchantId = await shop.openMerchant()
    const ask = () =>
      createInvoice(shop, {
        id: newId(),
        merchantId,
        type: 'onetime',
        amount: '10',
        paymentMethodId: 1,
        reference: 'order 7',
      })
    const lost = await ask()
    await loseInvoice(database, lost)
    const other = await ask()
    await recover()
    expect(await invoiceRecords.all(shop.db, { merchantId }, 'id', 'reference')).toEqual([
      { id: lost, reference: null },
      { id: other, reference: 'order 7' },
    ])
    expect(await auditRecords.one(shop.db, { subject: lost }, 'details')).toMatchObject({
      details: { referenceTakenSince: 'order 7' },
    })
  })

  it('is put back without its reference if another invoice is just taking the reference', async () => {
    const merchantId = await shop.openMerchant()
    const lost = await createInvoice(shop, {
      id: newId(),
      merchantId,
      type: 'onetime',
      amount: '10',
      paymentMethodId: 1,
      reference: 'order 8',
    })
    await loseInvoice(database, lost)
    const other = await database.owner.pool.connect()
    const terms = {
      id: newId(),
      merchantId,
      type: 'onetime',
      amount: '10',
      amountUsd: 1_000_000_000n,
    } as const
    await other.query('begin')
    await other.query(
      `insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, reference, terms_mac)
       values ($1, $2, 'onetime', '10', 1000000000, 1, '{1}', 'order 8', $3)`,
      [terms.id, merchantId, termsMac(testMacs, terms)],
    )
    const recovered = recover()
    await expect.poll(() => countLockWaiters(database.db, 'insert into invoice')).toBe(1)
    await other.query('commit')
    other.release()
    await recovered
    expect(await invoiceRecords.one(shop.db, { id: lost }, 'reference')).toEqual({ reference: null })
  })

  it('is put back as deleted or closed if its merchant did so in the lost time', async () => {
    const { merchantId, deleted, closed } = await openDecided()
    for (const { invoiceId } of [deleted, closed]) await loseInvoice(database, invoiceId)
    await loseEvents(database, merchantId)
    await recover()
    expect(await decidedOf(deleted.invoiceId)).toEqual({ deleted: true, closed: false, state: 'pending' })
    expect(await decidedOf(closed.invoiceId)).toEqual({ deleted: false, closed: true, state: 'expired' })
    await expectSoundBooks(shop)
  })

  it('is deleted or closed again by a process that remembers only that, once the creating process has put it back', async () => {
    const { merchantId, deleted, closed } = await openDecided()
    const memory = remembering(facts.of(invoiceFacts), [])
    const decider = remembering([], facts.of(decisionFacts))
    for (const { invoiceId } of [deleted, closed]) await loseInvoice(database, invoiceId)
    await loseEvents(database, merchantId)
    const decided = recover(decider)
    await expect.poll(() => putBackRecords.all(shop.db, { incarnation })).toHaveLength(1)
    await recover(memory)
    expect((await decided).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'decision put-back',
      'decision put-back',
    ])
    expect(await decidedOf(deleted.invoiceId)).toEqual({ deleted: true, closed: false, state: 'pending' })
    expect(await decidedOf(closed.invoiceId)).toEqual({ deleted: false, closed: true, state: 'expired' })
    expect(await recover(decider)).toEqual([])
    await expectSoundBooks(shop)
  })

  it('is deleted again if the process that remembers the deletion assigned its address and comes last', async () => {
    const { deleted } = await openDecided()
    const memory = remembering(facts.of(invoiceFacts), [])
    const decider = remembering([], facts.of(decisionFacts))
    for (const fact of facts.of(addressFacts)) decider.note(addressFacts, fact)
    await loseInvoice(database, deleted.invoiceId)
    await recover(memory)
    expect(await decidedOf(deleted.invoiceId)).toMatchObject({ deleted: false })
    expect((await recover(decider)).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'address put-back',
      'decision put-back',
    ])
    expect(await decidedOf(deleted.invoiceId)).toMatchObject({ deleted: true })
  })

  it('is only reported if it is a decision about an invoice that was never lost', async () => {
    const { deleted } = await openDecided()
    const decider = remembering([], facts.of(decisionFacts))
    await invoiceRecords.change(database.owner, { id: deleted.invoiceId }, { deletedAt: null })
    expect((await recover(decider)).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'decision named',
    ])
    expect(await decidedOf(deleted.invoiceId)).toMatchObject({ deleted: false })
  })

  it('keeps a decision that its merchant made after it was put back', async () => {
    const { merchantId, deleted } = await openDecided()
    const memory = remembering(facts.of(invoiceFacts), [])
    const deletions = facts.of(decisionFacts).filter(({ content }) => content.action === 'invoice.deleted')
    await loseInvoice(database, deleted.invoiceId)
    const deletedAt = () => invoiceRecords.one(shop.db, { id: deleted.invoiceId }, 'deletedAt')
    let before: object | undefined
    const sleep = async () => {
      await recover(memory)
      await deleteAs(merchantId, deleted.invoiceId)
      before = await deletedAt()
    }
    const records = await recover(remembering([], deletions), { ...systemClock, sleep })
    expect(records).toMatchObject([{ kind: 'decision', outcome: 'put-back' }])
    expect(before).toBeDefined()
    expect(await deletedAt()).toEqual(before)
  })

  it('waits for the process that created the invoice, if another one assigned its address', async () => {
    const { invoiceId, address } = await openShown(await shop.openMerchant())
    const memory = new CommittedFacts(systemClock)
    const giver = new CommittedFacts(systemClock)
    for (const fact of facts.of(invoiceFacts)) memory.note(invoiceFacts, fact)
    for (const fact of facts.of(addressFacts)) giver.note(addressFacts, fact)
    for (const fact of facts.of(quoteFacts)) giver.note(quoteFacts, fact)
    await loseInvoice(database, invoiceId)
    const given = recover(giver)
    await expect.poll(() => putBackRecords.all(shop.db, { incarnation })).toHaveLength(1)
    await recover(memory)
    expect((await given).map(({ outcome }) => outcome)).toEqual(['put-back', 'put-back'])
    expect((await shop.addressFor(invoiceId)).address).toBe(address)
  })

  it('answers a repeated request under its Idempotency-Key, so that no second invoice is created', async () => {
    const merchantId = await shop.openMerchant()
    const sealer = openSealer(new Secret('ab'.repeat(32)))
    const request = { scopeId: merchantId, key: 'k1', route: 'POST /x', fingerprint: Buffer.alloc(32, 1) }
    const ask = () =>
      answerOnce({ db: shop.db, sealer, clock: systemClock, log: silentLog }, request, {
        handle: async (id) => {
          await createInvoice(shop, { id, merchantId, type: 'onetime', amount: '10', paymentMethodId: 1 })
          return { status: 201, headers: {}, body: id }
        },
        refuse: (problem) => {
          throw problem
        },
        signal: new AbortController().signal,
      })
    const { body: invoiceId } = await ask()
    await loseInvoice(database, invoiceId)
    await idempotencyRecords.remove(database.owner)
    const away: Db = Object.create(shop.db, {
      query: {
        value: (statement: { text: string }) =>
          statement.text.includes('insert into idempotency_key')
            ? Promise.reject(new Error('away'))
            : shop.db.query(statement as never),
      },
    })
    await expect(recover(facts, systemClock, away), 'once the invoice is there').rejects.toThrow('away')
    await recover()
    expect((await ask()).body).toBe(invoiceId)
    expect(await namedOf('idempotency-key')).toMatchObject([{ outcome: 'put-back' }])
  })
})

describe('a record that is never put back', () => {
  it('is a withdraw invoice, which may have been claimed: it is only reported', async () => {
    const merchantId = await shop.openMerchant()
    const invoiceId = await shop.openInvoice(merchantId, { type: 'withdraw' })
    await loseInvoice(database, invoiceId)
    await recover()
    expect(await exists(invoiceId)).toBe(false)
    expect(await namedOf('invoice')).toEqual([{ id: invoiceId, outcome: 'named' }])
  })

  it('is an event: it is reported with its sequence', async () => {
    const merchantId = await shop.openMerchant()
    const { address, amountMinor } = await openShown(merchantId)
    await pay(address, amountMinor)
    const events = await eventRecords.all(shop.db, { merchantId }, 'id')
    expect(events.length).toBeGreaterThan(0)
    await loseEvents(database, merchantId)
    await recover()
    const ids = events.map(({ id }) => id).toSorted()
    expect(await namedOf('event')).toEqual(ids.map((id) => ({ id, outcome: 'named' })))
  })

  it('is one that was rolled back, because it was never acknowledged', async () => {
    const merchantId = await shop.openMerchant()
    const { invoiceId } = await openShown(merchantId)
    const before = facts.of(quoteFacts).length
    await inTransaction(shop.db, async (tx) => {
      tx.facts?.note(quoteFacts, required(facts.of(quoteFacts)[0], 'a quote'))
      throw new Error('undone')
    }).catch(() => {})
    expect(facts.of(quoteFacts)).toHaveLength(before)
    expect(await exists(invoiceId)).toBe(true)
  })
})

it('a reported lost record can be neither changed nor deleted', async () => {
  await expect(lostRecordRecords.remove(shop.db)).rejects.toThrow(/permission denied/)
  const { invoiceId } = await openShown(await shop.openMerchant())
  await loseInvoice(database, invoiceId)
  await recover()
  await expect(lostRecordRecords.remove(database.owner)).rejects.toThrow(/append-only/)
})
