/**
 * Tests that nobody can credit money by writing to the database, not even a superuser. The keys of the books
 * are not in the database.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { booksMacs } from '../../src/core/books-macs.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { haltTamperings } from '../../src/outgoing/engine/controls/halt-tamperings.ts'
import { newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { leaveOutForged } from '../../src/payments/deposits/genuine-deposits.ts'
import { lockConfirmable } from '../../src/payments/deposits/store.ts'
import { acquireLease, releaseLease } from '../../src/platform/db/lease.ts'
import { type Db, withMacs } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { forgetTamperings } from '../support/books/forget-tamperings.ts'
import { journalRecords, unsealedRecords } from '../support/books/records.ts'
import { testBooksKey } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { hotWallet, openHotWallet, payHotWallet } from '../support/hot-wallet.ts'
import { resumeHalts } from '../support/lifts.ts'
import {
  addressRecords,
  attributionRecords,
  depositRecords,
  invoiceRecords,
  quoteRecords,
} from '../support/payments/records.ts'
import type { ChangeOf } from '../support/records/records.ts'
import { plus, times } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { balanceOf, depositsOf, invoiceStatusOf, type Owned } from '../support/shop-readers.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

afterEach(async () => {
  await resumeHalts(database.db, new KeyTree(newMnemonic(12), 1))
  await forgetTamperings(database.owner)
})

interface Opened extends Owned {
  readonly address: string
  readonly amountMinor: bigint
}

async function openInvoice(): Promise<Opened> {
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId)
  const { address, amountMinor } = await shop.addressFor(invoiceId)
  return { merchantId, invoiceId, address, amountMinor }
}

/** Checks for tamperings as the outgoing engine does, and returns the active halts. */
async function haltsNow(): Promise<readonly { cause: string; detail: string }[]> {
  const lease = await takeLease('payouts ethereum')
  await haltTamperings({ db: shop.db, log: silentLog }, newMemory(lease))
  await releaseLease(shop.db, lease)
  return readHalts(shop.db)
}

async function takeLease(name: string, on: Db = shop.db) {
  const lease = await acquireLease(on, { name, holderId: newId(), ttlMs: 60_000 })
  if (lease === undefined) throw new Error('nobody else wants this lease')
  return lease
}

async function pay({ address, amountMinor }: Opened): Promise<string> {
  const transfer = blocks.pay(address, amountMinor)
  await blocks.mine([transfer])
  return transfer.txHash
}

const confirm = async () => {
  await blocks.mine()
  await blocks.mine()
}

describe('a deposit whose row was rewritten', () => {
  it.each<[string, (merchantId: string) => ChangeOf<typeof depositRecords>]>([
    ['another merchant’s', (merchantId) => ({ merchantId })],
    ['more', () => ({ amountMinor: times(2), amount: times(2) })],
    ['free of fees', () => ({ feePercentBasisPoints: 0, feeFlatMinor: 0n })],
    ['mined once more', () => ({ inclusion: plus(1) })],
  ])(
    'as %s is not credited, halts outgoing transactions, and does not stop blocks from being booked',
    async (_what, set) => {
      const victim = await openInvoice()
      const thief = await openInvoice()
      const other = await openInvoice()
      await pay(victim)
      await depositRecords.change(database.owner, { invoiceId: victim.invoiceId }, set(thief.merchantId))
      await pay(other)
      await confirm()
      expect(await balanceOf(shop, thief)).toBe('0')
      expect(await balanceOf(shop, victim)).toBe('0')
      expect(await balanceOf(shop, other), 'those of others are credited').not.toBe('0')
      const [deposit] = await depositsOf(shop, victim)
      expect(await haltsNow()).toEqual([
        expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(deposit?.id ?? '') }),
      ])
      await depositRecords.change(
        database.owner,
        { invoiceId: victim.invoiceId },
        { state: 'failed', blockHeight: null, blockHash: null, includedAt: null, blockPosition: null },
      )
    },
  )

  it('halts outgoing transactions once: the same finding does not halt again after an operator lifted the halt', async () => {
    const victim = await openInvoice()
    await pay(victim)
    await depositRecords.change(database.owner, { invoiceId: victim.invoiceId }, { sender: 'x' })
    await confirm()
    expect(await haltsNow()).toHaveLength(1)
    await resumeHalts(database.db, new KeyTree(newMnemonic(12), 1))
    await confirm()
    expect(await haltsNow()).toEqual([])
  })
})

describe('an attribution that no operator made', () => {
  const forge = (depositId: string, merchantId: string) =>
    attributionRecords.add(shop.db, { depositId, merchantId, feePercentBasisPoints: 0, feeFlatMinor: 0n })

  it('credits nobody when its deposit is confirmed, and halts outgoing transactions', async () => {
    const thief = await openInvoice()
    await openHotWallet(shop)
    const transfer = blocks.pay(hotWallet, 7_000_000n)
    await blocks.mine([transfer])
    const depositId = await blocks.idOf(transfer)
    await forge(depositId, thief.merchantId)
    await confirm()
    expect(await balanceOf(shop, thief)).toBe('0')
    expect(await haltsNow()).toEqual([
      expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(depositId) }),
    ])
  })

  it('cannot be used by an operator', async () => {
    const thief = await openInvoice()
    const depositId = await payHotWallet(shop, blocks, 7_000_000n)
    await forge(depositId, thief.merchantId)
    await expect(
      attributeMoney(shop, undefined, { depositId, merchantId: thief.merchantId }),
    ).rejects.toThrow('has no valid MAC of BOOKS_KEY_FILE')
    expect(await balanceOf(shop, thief)).toBe('0')
  })
})

describe('an address that somebody assigned to another invoice', () => {
  it('credits nobody, halts outgoing transactions, and is not shown', async () => {
    const victim = await openInvoice()
    const thief = await openInvoice()
    await addressRecords.remove(database.owner, { invoiceId: thief.invoiceId })
    await addressRecords.change(
      database.owner,
      { address: victim.address },
      { invoiceId: thief.invoiceId, merchantId: thief.merchantId },
    )
    const txHash = await pay(victim)
    await confirm()
    expect(await balanceOf(shop, thief)).toBe('0')
    const row = await depositRecords.one(shop.db, { txHash }, 'state', 'merchantId', 'invoiceId', 'netMinor')
    expect(row).toEqual({ state: 'confirmed', merchantId: null, invoiceId: null, netMinor: null })
    expect(await haltsNow()).toEqual([
      expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(victim.address) }),
    ])
    await expect(shop.addressFor(thief.invoiceId)).rejects.toThrow('was not assigned to invoice')
  })

  it('is not assigned to the next payer if it was marked as free', async () => {
    const victim = await openInvoice()
    await addressRecords.change(
      database.owner,
      { address: victim.address },
      { invoiceId: null, merchantId: null, paymentMethodId: null, assignedAt: null, assignmentMac: null },
    )
    const others = await Promise.all(Array.from({ length: 5 }, openInvoice))
    expect(others.map(({ address }) => address)).not.toContain(victim.address)
  })

  it('that was marked as free, with its MAC, gives its payment to nobody and halts outgoing transactions', async () => {
    const victim = await openInvoice()
    await addressRecords.change(
      database.owner,
      { address: victim.address },
      { invoiceId: null, merchantId: null, paymentMethodId: null, assignedAt: null },
    )
    await pay(victim)
    expect(await haltsNow()).toHaveLength(1)
  })
})

describe('an invoice with changed terms', () => {
  const askLess = (id: string) => invoiceRecords.change(database.owner, { id }, { amountUsd: times(0.1) })
  it.each<[string, (id: string) => Promise<unknown>]>([
    [
      'lowered together with its quote',
      async (id) => {
        await askLess(id)
        await quoteRecords.change(database.owner, { invoiceId: id }, { fullMinor: times(0.1) })
      },
    ],
    [
      'kept, its quote lowered',
      (id) => quoteRecords.change(database.owner, { invoiceId: id }, { fullMinor: 1n }),
    ],
    ['lowered, its quote kept', (id) => invoiceRecords.change(database.owner, { id }, { amountUsd: 1n })],
    [
      'lowered, its quotes gone',
      async (id) => {
        await askLess(id)
        await quoteRecords.remove(database.owner, { invoiceId: id })
      },
    ],
  ])('%s, is not paid: the payment is unattributed, and outgoing transactions halt', async (_what, by) => {
    const victim = await openInvoice()
    await by(victim.invoiceId)
    await pay({ ...victim, amountMinor: victim.amountMinor / 10n })
    await confirm()
    expect((await invoiceStatusOf(shop, victim)).state).toBe('pending')
    expect(await balanceOf(shop, victim)).toBe('0')
    expect(await haltsNow()).toEqual([expect.objectContaining({ cause: 'tampering' })])
  })
})

describe('the key of the books', () => {
  it('can be changed: MACs under a former key are valid, those under a forgotten key are not', async () => {
    const victim = await openInvoice()
    await pay(victim)
    const next = Buffer.alloc(32, 0xb1)
    expect(await confirmableUnder([next, testBooksKey])).toContain(victim.invoiceId)
    expect(await confirmableUnder([next])).toEqual([])
    expect(await haltsNow()).toHaveLength(1)
    await confirm()
    expect(await balanceOf(shop, victim)).not.toBe('0')
  })

  /**
   * Returns the invoices of the deposits that these keys would confirm. It changes nothing in the database,
   * except that it notes tamperings.
   */
  async function confirmableUnder(keys: readonly Buffer[]): Promise<readonly (string | undefined)[]> {
    const db = withMacs(shop.db, booksMacs(keys))
    const candidates = await inTransaction(db, async (tx) =>
      leaveOutForged(tx, await lockConfirmable(tx, 'ethereum', 10_000)),
    )
    return candidates.map(({ invoiceId }) => invoiceId)
  }
})

describe('a journal that Coffer did not post', () => {
  const asset = 'ethereum/USDT'
  const posted = (subject: string) =>
    journal({
      kind: 'capital',
      subject,
      lines: [debit({ name: 'custody', asset }, 5n), credit({ name: 'capital', asset }, 5n)],
    })

  it('stops the sealer, and halts outgoing transactions', async () => {
    const lease = await takeLease('sealer')
    while ((await sealBatch(shop.db, lease)) > 0);
    const foreign = withMacs(shop.db, booksMacs([Buffer.alloc(32, 0xee)]))
    await inTransaction(shop.db, (tx) => post(tx, [posted('before')]))
    await inTransaction(foreign, (tx) => post(tx, [posted('forged')]))
    await inTransaction(shop.db, (tx) => post(tx, [posted('after')]))
    expect(await sealBatch(shop.db, lease)).toBe(1)
    expect(await sealBatch(shop.db, lease)).toBe(0)
    const unsealed = (await unsealedRecords.all(shop.db)).map(({ journalId }) => journalId)
    const left = await journalRecords.all(shop.db, { id: unsealed }, 'subject')
    // Two ids of one millisecond may be in any order.
    expect(left.map(({ subject }) => subject).toSorted()).toEqual(['after', 'forged'])
    expect(await haltsNow()).toEqual([
      expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining('forged') }),
    ])
    await releaseLease(shop.db, lease)
  })

  it('cannot be posted by a process without the keys', async () => {
    const blind = { ...shop.db, macs: undefined }
    await expect(inTransaction(blind, (tx) => post(tx, [posted('blind')]))).rejects.toThrow('BOOKS_KEY_FILE')
  })
})
