/**
 * Tests an attacker with write access to the database, who adds money to a merchant. This money covers no
 * order, because only the sealed history decides what a merchant has.
 */
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { sealHash } from '../../src/ledger/seal.ts'
import { findJournals, findLastSeal, insertSeals } from '../../src/ledger/store.ts'
import { keepSealedBalances, type Reach, sumSealed } from '../../src/ledger/sum-sealed.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { ledgerAccountRecords, sealedBalanceRecords, tamperingRecords } from '../support/books/records.ts'
import { testMacs } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { plus } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { openApprovals, sealAll, settleBooks } from './approvals.ts'
import { openTill, type Till } from './till.ts'

const shop = useShop(useDatabase())
const asset = 'ethereum/USDT'
let blocks: Blocks
let till: Till

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

/** The merchant has 98.9 USDT that is final. */
beforeEach(async () => {
  till = await openTill(shop, blocks)
  await till.deposit(100_000_000n)
  await settleBooks(shop)
})

/**
 * Adds 500 USDT only to the totals of the merchant's account, as somebody with write access to rows could.
 */
const raiseTotals = () =>
  ledgerAccountRecords.change(
    shop.db,
    { ownerId: till.merchantId, name: 'available', asset },
    { credits: plus(500000000) },
  )

async function stageOf(id: string): Promise<string | null> {
  return (await withdrawalRecords.one(shop.db, { id }, 'stage')).stage
}

async function tamperingsNoted(): Promise<readonly string[]> {
  const rows = await tamperingRecords.all(shop.db, {}, 'detail')
  return rows.map(({ detail }) => detail)
}

describe('an order', () => {
  it('waits if only raised totals cover it, while covered orders proceed', async () => {
    const { approve } = await openApprovals(shop)
    const honest = await till.withdraw('50')
    await sealAll(shop)
    await approve()
    expect(await stageOf(honest)).toBe('approved')
    await raiseTotals()
    const small = await till.withdraw('40')
    const large = await till.withdraw('300')
    await sealAll(shop)
    await approve()
    // More is held than was ever available, so no balance of the merchant is trusted any more.
    expect(await Promise.all([small, large].map(stageOf))).toEqual(['queued', 'queued'])
  })

  it('waits if it is covered by a journal that Coffer did not post and that its author sealed', async () => {
    const { approve } = await openApprovals(shop)
    const lines = [
      debit({ name: 'custody', asset }, 500_000_000n),
      credit({ name: 'available', ownerId: till.merchantId, asset }, 500_000_000n),
    ]
    const subject = `forged:${newId()}`
    const blind = { ...shop.db, macs: { ...testMacs, journal: { ...testMacs.journal, mac: () => 'forged' } } }
    await inTransaction(blind, (tx) => post(tx, [journal({ kind: 'capital', subject, lines })]))
    await sealManually(subject)
    const id = await till.withdraw('300')
    await sealAll(shop)
    await approve()
    expect(await stageOf(id)).toBe('queued')
    expect(await tamperingsNoted()).toEqual([expect.stringContaining(subject)])
  })

  it('waits if an earlier balance is put back', async () => {
    const { approve } = await openApprovals(shop)
    await keepSealedBalances(shop.db, [till.merchantId], eager)
    const kept = sql`select * from sealed_balance where owner_id = ${till.merchantId}`
    const [before] = await shop.db.query<{ sums: unknown; sequence: number; hash: Buffer; mac: string }>(kept)
    const first = await till.withdraw('90')
    await sealAll(shop)
    await approve()
    await till.send(first)
    await till.settle(first, 'completed')
    await sealAll(shop)
    await keepSealedBalances(shop.db, [till.merchantId], eager)
    await sealedBalanceRecords.change(
      shop.db,
      { ownerId: till.merchantId },
      {
        sums: JSON.stringify(before?.sums),
        sequence: before?.sequence,
        hash: before?.hash,
        mac: before?.mac,
      },
    )
    await raiseTotals()
    const second = await till.withdraw('90')
    await sealAll(shop)
    await approve()
    expect(await stageOf(second)).toBe('queued')
  })
})

const eager: Reach = { recentSeals: 10_000, keptAfterSeals: 1, keptAfterJournals: 1, journalsAtOnce: 2_000 }

it('a journal is removed from the list of unsealed ones only by its seal', async () => {
  const id = await till.withdraw('1')
  const held = sql`select id from journal where subject = ${`withdrawal:${id}:requested`}`
  const takenOff = 'without a seal'
  await expect(shop.db.query(sql`delete from journal_unsealed where journal_id = (${held})`)).rejects.toThrow(
    takenOff,
  )
  await expect(
    shop.db.query(
      sql`update journal_unsealed set journal_id = (select id from journal limit 1) where journal_id = (${held})`,
    ),
  ).rejects.toThrow('append-only')
  await sealAll(shop)
  expect(await shop.db.query(sql`select from journal_unsealed where journal_id = (${held})`)).toEqual([])
})

it('sums are equal by recent history, by an owner’s own history, by pages of one, and by stored sums', async () => {
  for (const amount of ['1', '2', '3']) {
    await till.withdraw(amount)
    await sealAll(shop)
  }
  const far = { ...eager, recentSeals: -1 }
  const reaches: readonly Reach[] = [eager, far, { ...far, journalsAtOnce: 1 }]
  const sumsBy = async (reach: Reach) =>
    (await sumSealed(shop.db, [till.merchantId], reach)).get(till.merchantId)
  const expected = new Map([
    [asset, { availableMinor: 92_900_000n, moneyMinor: 98_900_000n, receivableMinor: 0n }],
  ])
  for (const reach of reaches) expect(await sumsBy(reach)).toEqual(expected)
  await keepSealedBalances(shop.db, [till.merchantId], eager)
  await till.withdraw('4')
  for (const reach of reaches) expect(await sumsBy(reach), 'an order without its seal').toEqual(expected)
  await sealedBalanceRecords.change(shop.db, {}, { sums: '[["ethereum/USDT", "9", "9", "0"]]' })
  for (const reach of reaches)
    expect(await sumsBy(reach), 'a kept balance that was changed').toEqual(expected)
})

/** Seals a journal as the sealer does, but without checking its MAC. */
async function sealManually(subject: string): Promise<void> {
  const [forged] = await findJournals(shop.db, [subject])
  const stored = required(forged, 'the journal')
  const last = required(await findLastSeal(shop.db), 'a seal')
  const sequence = last.sequence + 1
  const seal = { sequence, journalId: stored.id, hash: sealHash(last.hash, sequence, stored) }
  await inTransaction(shop.db, (tx) => insertSeals(tx, [seal]))
}
