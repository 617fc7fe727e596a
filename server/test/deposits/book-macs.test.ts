/** Whoever writes the database alone, a superuser included, gets nothing credited by it: the keys of the books are elsewhere. */
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { booksMacs } from '../../src/core/books-macs.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { haltTamperings } from '../../src/outgoing/engine/controls/halt-tamperings.ts'
import { newMemory } from '../../src/outgoing/engine/machine-memory.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { leaveOutForged } from '../../src/payments/deposits/genuine-deposits.ts'
import { lockRipe } from '../../src/payments/deposits/store.ts'
import { acquireLease, releaseLease } from '../../src/platform/db/lease.ts'
import { type Db, withMacs } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { testBooksKey } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { hotWallet, openHotWallet, payHotWallet } from '../support/hot-wallet.ts'
import { resumeHalts } from '../support/lifts.ts'
import { useShop } from '../support/shop.ts'
import { balanceOf, type Owned, standingOf, transactionsOf } from '../support/shop-sight.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

afterEach(async () => {
  await resumeHalts(database.db, new KeyTree(newMnemonic(12), 1))
  await database.owner.query(sql`truncate tampering cascade`)
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

/** What payouts halt by, after they have looked. */
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

describe('a deposit that was rewritten', () => {
  it.each([
    ['another merchant’s', (id: string) => sql`merchant_id = ${id}`],
    ['more', () => sql`amount_minor = amount_minor * 2, amount = amount * 2`],
    ['free of fees', () => sql`fee_percent_basis_points = 0, fee_flat_minor = 0`],
    ['mined once more', () => sql`inclusion = inclusion + 1`],
  ])(
    'as %s is credited to nobody, halts payouts, and keeps no block from being booked',
    async (_what, set) => {
      const victim = await openInvoice()
      const thief = await openInvoice()
      const other = await openInvoice()
      await pay(victim)
      await database.owner.query(sql`
      update transaction set ${set(thief.merchantId)} where invoice_id = ${victim.invoiceId}`)
      await pay(other)
      await confirm()
      expect(await balanceOf(shop, thief)).toBe('0')
      expect(await balanceOf(shop, victim)).toBe('0')
      expect(await balanceOf(shop, other), 'those of others are credited').not.toBe('0')
      const [deposit] = await transactionsOf(shop, victim)
      expect(await haltsNow()).toEqual([
        expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(deposit?.id ?? '') }),
      ])
      await database.owner.query(sql`update transaction set state = 'failed', block_height = null, block_hash = null,
      included_at = null, block_place = null where invoice_id = ${victim.invoiceId}`)
    },
  )

  it('halts payouts once: what an operator lifted is not halted by the same again', async () => {
    const victim = await openInvoice()
    await pay(victim)
    await database.owner.query(
      sql`update transaction set sender = 'x' where invoice_id = ${victim.invoiceId}`,
    )
    await confirm()
    expect(await haltsNow()).toHaveLength(1)
    await resumeHalts(database.db, new KeyTree(newMnemonic(12), 1))
    await confirm()
    expect(await haltsNow()).toEqual([])
  })
})

describe('an attribution that no operator made', () => {
  const forge = (transactionId: string, merchantId: string) =>
    shop.db.query(sql`
      insert into attribution (transaction_id, merchant_id, fee_percent_basis_points, fee_flat_minor)
      values (${transactionId}, ${merchantId}, 0, 0)`)

  it('brings its money to nobody once it is confirmed, and halts payouts', async () => {
    const thief = await openInvoice()
    await openHotWallet(shop)
    const transfer = blocks.pay(hotWallet, 7_000_000n)
    await blocks.mine([transfer])
    const transactionId = await blocks.idOf(transfer)
    await forge(transactionId, thief.merchantId)
    await confirm()
    expect(await balanceOf(shop, thief)).toBe('0')
    expect(await haltsNow()).toEqual([
      expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(transactionId) }),
    ])
  })

  it('is not what an operator goes on from', async () => {
    const thief = await openInvoice()
    const transactionId = await payHotWallet(shop, blocks, 7_000_000n)
    await forge(transactionId, thief.merchantId)
    await expect(
      attributeMoney(shop, undefined, { transactionId, merchantId: thief.merchantId }),
    ).rejects.toThrow('carries no MAC of BOOKS_KEY_FILE')
    expect(await balanceOf(shop, thief)).toBe('0')
  })
})

describe('an address that was given to somebody else', () => {
  it('brings its money to nobody, halts payouts, and is not shown', async () => {
    const victim = await openInvoice()
    const thief = await openInvoice()
    await database.owner.query(sql`delete from address where invoice_id = ${thief.invoiceId}`)
    await database.owner.query(sql`
      update address set invoice_id = ${thief.invoiceId}, merchant_id = ${thief.merchantId}
      where address = ${victim.address}`)
    const txHash = await pay(victim)
    await confirm()
    expect(await balanceOf(shop, thief)).toBe('0')
    const row = await shop.row<object>(sql`
      select state, merchant_id, invoice_id, net_minor from transaction where tx_hash = ${txHash}`)
    expect(row).toEqual({ state: 'confirmed', merchant_id: null, invoice_id: null, net_minor: null })
    expect(await haltsNow()).toEqual([
      expect.objectContaining({ cause: 'tampering', detail: expect.stringContaining(victim.address) }),
    ])
    await expect(shop.addressFor(thief.invoiceId)).rejects.toThrow('was not given to invoice')
  })

  it('is not given to the next who asks once it was made free', async () => {
    const victim = await openInvoice()
    await database.owner.query(sql`
      update address set invoice_id = null, merchant_id = null, payment_method_id = null, assigned_at = null,
        assignment_mac = null where address = ${victim.address}`)
    const others = await Promise.all(Array.from({ length: 5 }, openInvoice))
    expect(others.map(({ address }) => address)).not.toContain(victim.address)
  })

  it('made free, and still with its MAC, is nobody’s and halts payouts', async () => {
    const victim = await openInvoice()
    await database.owner.query(sql`
      update address set invoice_id = null, merchant_id = null, payment_method_id = null, assigned_at = null
      where address = ${victim.address}`)
    await pay(victim)
    expect(await haltsNow()).toHaveLength(1)
  })
})

describe('what an invoice asks', () => {
  it.each([
    [
      'lowered together with its quote',
      (id: string) => [
        sql`update invoice set amount_usd = amount_usd / 10 where id = ${id}`,
        sql`update quote set full_minor = full_minor / 10 where invoice_id = ${id}`,
      ],
    ],
    [
      'kept, its quote lowered',
      (id: string) => [sql`update quote set full_minor = 1 where invoice_id = ${id}`],
    ],
    ['lowered, its quote kept', (id: string) => [sql`update invoice set amount_usd = 1 where id = ${id}`]],
    [
      'lowered, its quotes gone',
      (id: string) => [
        sql`update invoice set amount_usd = amount_usd / 10 where id = ${id}`,
        sql`delete from quote where invoice_id = ${id}`,
      ],
    ],
  ])('%s, is paid by nothing: the payment is nobody’s, and payouts halt', async (_what, by) => {
    const victim = await openInvoice()
    for (const statement of by(victim.invoiceId)) await database.owner.query(statement)
    await pay({ ...victim, amountMinor: victim.amountMinor / 10n })
    await confirm()
    expect((await standingOf(shop, victim)).state).toBe('pending')
    expect(await balanceOf(shop, victim)).toBe('0')
    expect(await haltsNow()).toEqual([expect.objectContaining({ cause: 'tampering' })])
  })
})

describe('the key of the books', () => {
  it('is changed with nothing left behind: a former one still vouches, a forgotten one does not', async () => {
    const victim = await openInvoice()
    await pay(victim)
    const next = Buffer.alloc(32, 0xb1)
    expect(await ripeUnder([next, testBooksKey])).toContain(victim.invoiceId)
    expect(await ripeUnder([next])).toEqual([])
    expect(await haltsNow()).toHaveLength(1)
    await confirm()
    expect(await balanceOf(shop, victim)).not.toBe('0')
  })

  /** The invoices of the deposits that would be confirmed with these keys; nothing of it stays but what is noted. */
  async function ripeUnder(keys: readonly Buffer[]): Promise<readonly (string | undefined)[]> {
    const db = withMacs(shop.db, booksMacs(keys))
    const candidates = await inTransaction(db, async (tx) =>
      leaveOutForged(tx, await lockRipe(tx, 'ethereum', 10_000)),
    )
    return candidates.map(({ invoiceId }) => invoiceId)
  }
})

describe('a journal that nobody of ours posted', () => {
  const asset = 'ethereum/USDT'
  const posted = (subject: string) =>
    journal({
      kind: 'capital',
      subject,
      lines: [debit({ name: 'custody', asset }, 5n), credit({ name: 'capital', asset }, 5n)],
    })

  it('stops the sealer, and halts payouts', async () => {
    const lease = await takeLease('sealer')
    while ((await sealBatch(shop.db, lease)) > 0);
    const foreign = withMacs(shop.db, booksMacs([Buffer.alloc(32, 0xee)]))
    await inTransaction(shop.db, (tx) => post(tx, [posted('before')]))
    await inTransaction(foreign, (tx) => post(tx, [posted('forged')]))
    await inTransaction(shop.db, (tx) => post(tx, [posted('after')]))
    expect(await sealBatch(shop.db, lease)).toBe(1)
    expect(await sealBatch(shop.db, lease)).toBe(0)
    const left = await shop.db.query<{ subject: string }>(sql`
      select subject from journal join journal_unsealed on journal_id = id`)
    // Two ids of one millisecond are in any order.
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
