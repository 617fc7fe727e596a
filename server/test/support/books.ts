/** Reads the books directly, without the API. */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal, type LedgerAccount } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { receivableJournal } from '../../src/ledger/receivable.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Shop } from './shop.ts'

/** What one merchant has on its accounts, and what it owes, in one asset. */
export interface MerchantBalances {
  readonly available: bigint
  readonly held: bigint
  readonly receivable: bigint
}

export async function balancesIn(
  shop: Pick<Shop, 'db'>,
  merchantId: string,
  asset = 'ethereum/USDT',
): Promise<MerchantBalances> {
  const rows = await shop.db.query<{ name: keyof MerchantBalances; balance: string }>(sql`
    select name, abs(credits - debits) as balance from ledger_account
    where owner_id = ${merchantId} and asset = ${asset}`)
  const of = (name: keyof MerchantBalances) => BigInt(rows.find((row) => row.name === name)?.balance ?? 0)
  return { available: of('available'), held: of('held'), receivable: of('receivable') }
}

/**
 * The invariants that are not checked here. M17 checks seals, but nothing seals these journals. M18 checks
 * the stored blocks, but blocks made by hand are not stored. The others need outgoing transactions, which
 * withdrawals sent by hand do not have.
 */
const leftOut: readonly string[] = ['M17', 'M18', 'M10', 'M16-outgoing-transactions']

export async function expectSoundBooks(shop: Pick<Shop, 'db' | 'methods'>): Promise<void> {
  const { entries } = await verify(shop)
  const findings = entries.filter(({ id }) => !leftOut.includes(id)).flatMap((entry) => entry.findings)
  expect(findings).toEqual([])
}

/** Gives a merchant a receivable: money that it had and that left before its deposit was taken back. */
export async function owe(
  { db }: Pick<Shop, 'db'>,
  ownerId: string,
  asset: string,
  amountMinor: bigint,
): Promise<void> {
  const of = (name: LedgerAccount['name']): LedgerAccount => ({ name, ownerId, asset })
  const cause = `test:${newId()}`
  const lines = [debit(of('custody'), amountMinor), credit(of('available'), amountMinor)]
  const first = journal({ kind: 'test', subject: cause, lines })
  const outside = debit(of('available'), amountMinor)
  const back = credit(of('custody'), amountMinor)
  await inTransaction(db, async (tx) => {
    await post(tx, [first])
    await post(tx, [journal({ kind: 'test', subject: `${cause}:out`, lines: [outside, back] })])
    const taken = journal({
      kind: 'test.reversed',
      subject: `reversed:${cause}`,
      reverses: first.id,
      lines: [debit(of('available'), amountMinor), credit(of('custody'), amountMinor)],
    })
    await post(tx, [receivableJournal(of('available'), amountMinor, `reversed:${cause}`), taken])
  })
}
