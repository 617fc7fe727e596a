/** Posts journals: stores them and updates the totals of their accounts in the same transaction. */
import { required } from '../core/assert.ts'
import { chunksOf } from '../core/chunks.ts'
import { limits } from '../core/limits.ts'
import { type Tx, violatedConstraint } from '../platform/db/transaction.ts'
import { accountKey, isMerchantAccount, type Journal, type LedgerAccount } from './journal.ts'
import { insertJournals, lockAccounts, type Movement, openAccounts, type StoredAccount } from './store.ts'

export interface Shortfall {
  readonly account: LedgerAccount
  /** The missing amount, in the asset's smallest unit. */
  readonly shortMinor: bigint
}

/**
 * Thrown if posting the journals would take merchant accounts below zero. Nothing was posted, and the
 * database transaction can continue.
 */
export class OverdraftError extends Error {
  override readonly name = 'OverdraftError'
  readonly shortfalls: readonly Shortfall[]

  constructor(shortfalls: readonly Shortfall[]) {
    super(
      shortfalls
        .map(({ account, shortMinor }) => `${accountKey(account)} is short of ${shortMinor}`)
        .join(', '),
    )
    this.shortfalls = shortfalls
  }
}

/**
 * Thrown if a journal with the same subject was posted before, or if the journal to reverse was already
 * reversed. The database transaction must then be rolled back.
 */
export class AlreadyPostedError extends Error {
  override readonly name = 'AlreadyPostedError'
}

/**
 * Posts all journals or none. Posting takes three statements, or more if there are more journals than
 * `limits.rowsPerStatement`. Account rows are locked in a fixed order, so transactions that post once never
 * deadlock with each other. A transaction that posts twice may deadlock. In that case `inTransaction` runs
 * the transaction again.
 * @throws OverdraftError if merchant accounts would fall below zero.
 * @throws AlreadyPostedError if a journal was posted or reversed before.
 */
export async function post(tx: Tx, journals: readonly Journal[]): Promise<void> {
  if (journals.length === 0) return
  const accounts = accountsOf(journals)
  await openAccounts(tx, accounts)
  const stored = await lockAccounts(tx, accounts)
  const ids = new Map(stored.map((account) => [accountKey(account), account.id]))
  const idOf = (account: LedgerAccount) => required(ids.get(accountKey(account)), 'the account of a line')
  const movements = movementsOf(journals, idOf)
  refuseOverdraft(stored, movements)
  try {
    let moved = [...movements.values()]
    for (const chunk of chunksOf(journals, limits.rowsPerStatement)) {
      await insertJournals(tx, chunk, moved, idOf)
      moved = []
    }
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === undefined || !onceConstraints.has(constraint)) throw error
    throw new AlreadyPostedError('a journal was posted or reversed before', { cause: error })
  }
}

const onceConstraints: ReadonlySet<string> = new Set(['journal_subject_unique', 'journal_reverses_unique'])

function accountsOf(journals: readonly Journal[]): readonly LedgerAccount[] {
  const accounts = new Map<string, LedgerAccount>()
  for (const { lines } of journals) {
    for (const { account } of lines) accounts.set(accountKey(account), account)
  }
  return [...accounts.values()]
}

function movementsOf(
  journals: readonly Journal[],
  idOf: (account: LedgerAccount) => number,
): ReadonlyMap<number, Movement> {
  const movements = new Map<number, Movement>()
  for (const { account, debitMinor, creditMinor } of journals.flatMap(({ lines }) => lines)) {
    const accountId = idOf(account)
    const before = movements.get(accountId) ?? { debitMinor: 0n, creditMinor: 0n }
    movements.set(accountId, {
      accountId,
      debitMinor: before.debitMinor + debitMinor,
      creditMinor: before.creditMinor + creditMinor,
    })
  }
  return movements
}

/**
 * Throws an `OverdraftError` if a merchant account would fall below zero. The check is exact, because the
 * account rows are locked. A check constraint of the table enforces the same rule.
 */
function refuseOverdraft(stored: readonly StoredAccount[], movements: ReadonlyMap<number, Movement>): void {
  const shortfalls = stored.flatMap((account): Shortfall[] => {
    const movement = required(movements.get(account.id), 'the movement of an account')
    const after = account.creditsMinor + movement.creditMinor - account.debitsMinor - movement.debitMinor
    const { name, ownerId, asset } = account
    return after < 0n && isMerchantAccount(name)
      ? [{ account: { name, ownerId, asset }, shortMinor: -after }]
      : []
  })
  if (shortfalls.length > 0) throw new OverdraftError(shortfalls)
}
