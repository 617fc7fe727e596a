/** Posting: journals become history, and the totals of their accounts follow in the same transaction. */
import { required } from '../core/assert.ts'
import { limits } from '../core/limits.ts'
import { piecesOf } from '../core/pieces.ts'
import { type Tx, violatedConstraint } from '../platform/db/transaction.ts'
import { accountKey, isMerchantAccount, type Journal, type LedgerAccount } from './journal.ts'
import { insertJournals, lockAccounts, type Movement, openAccounts, type StoredAccount } from './store.ts'

export interface Shortfall {
  readonly account: LedgerAccount
  /** How much is missing, in the asset's smallest unit. */
  readonly shortMinor: bigint
}

/** The journals together would take merchant accounts below zero. Nothing was posted; the transaction is still good. */
export class OverdraftError extends Error {
  override readonly name = 'OverdraftError'
  readonly shortfalls: readonly Shortfall[]

  constructor(shortfalls: readonly Shortfall[]) {
    super(
      shortfalls.map(({ account, shortMinor }) => `${accountKey(account)} lacks ${shortMinor}`).join(', '),
    )
    this.shortfalls = shortfalls
  }
}

/** A subject is already in the books, or a journal is already reversed. The transaction can only roll back. */
export class AlreadyPostedError extends Error {
  override readonly name = 'AlreadyPostedError'
}

/**
 * Posts all journals or none, in three statements but for thousands of them. Account rows are locked in one order, so
 * postings never deadlock with each other as long as a transaction posts once; one that posts twice may, and is then
 * run again by `inTransaction`.
 * @throws OverdraftError, AlreadyPostedError
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
    for (const piece of piecesOf(journals, limits.rowsPerStatement)) {
      await insertJournals(tx, piece, moved, idOf)
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

/** The rows are locked, so this look is exact; the table's own check stands behind it. */
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
