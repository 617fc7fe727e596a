/**
 * Double-entry bookkeeping. A journal records the amounts that one event moved between accounts. In every
 * asset, the debits of a journal equal its credits. Three checks enforce this balance: the function
 * `journal`, a deferred database constraint and `coffer verify`.
 */
import { assert } from '../core/assert.ts'
import { newId } from '../core/ids.ts'

/**
 * Names of the accounts that hold what Coffer owes a merchant. Each such account has an owner and never falls
 * below zero.
 */
export type MerchantAccountName = 'available' | 'held' | 'quarantine'

/**
 * Names of Coffer's own accounts. Accounts that concern a merchant, such as `fees` and `forfeited`, exist
 * once for each merchant. Transactions of different merchants therefore do not wait for the same row.
 */
export type PlatformAccountName =
  | 'custody'
  | 'fees'
  | 'network_fees'
  | 'capital'
  | 'below_minimum'
  | 'receivable'
  | 'unattributed'
  | 'forfeited'

export type AccountName = MerchantAccountName | PlatformAccountName

/**
 * The side on which an account increases: debit for assets and expenses, credit for liabilities, capital and
 * income.
 */
export const normalSides: Readonly<Record<AccountName, 'debit' | 'credit'>> = {
  available: 'credit',
  held: 'credit',
  quarantine: 'credit',
  custody: 'debit',
  fees: 'credit',
  network_fees: 'debit',
  capital: 'credit',
  below_minimum: 'credit',
  receivable: 'debit',
  unattributed: 'credit',
  forfeited: 'credit',
}

export interface LedgerAccount {
  readonly name: AccountName
  /** The id of the merchant that owns the account. A merchant account must have an owner. */
  readonly ownerId?: string | undefined
  /** `<network>/<symbol>`, such as `ethereum/USDT`. */
  readonly asset: string
}

/** One line of a journal. Either the debit or the credit is above zero, in the asset's smallest unit. */
export interface Line {
  readonly account: LedgerAccount
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

declare const balanced: unique symbol

/** A balanced journal. Only the functions `journal` and `mirror` create journals. */
export interface Journal {
  readonly [balanced]: true
  readonly id: string
  readonly kind: string
  /** Identifies the booked event permanently: a second journal with the same subject is rejected. */
  readonly subject: string
  /** Id of the journal that this journal reverses; undefined if it reverses none. */
  readonly reverses: string | undefined
  readonly lines: readonly Line[]
}

export interface JournalParts {
  readonly id?: string | undefined
  readonly kind: string
  readonly subject: string
  readonly reverses?: string | undefined
  readonly lines: readonly Line[]
}

/**
 * Builds a journal. Lines with an amount of zero are dropped.
 * @throws InvariantError if fewer than two lines are left or an asset does not balance.
 * @throws InvariantError if a line has a negative amount, amounts on both sides or no asset.
 * @throws InvariantError if a line on a merchant account has no owner.
 */
export function journal({ id = newId(), kind, subject, reverses, lines }: JournalParts): Journal {
  const kept = lines.filter((line) => line.debitMinor !== 0n || line.creditMinor !== 0n)
  assert(kept.length >= 2, `journal ${subject} has ${kept.length} lines`)
  const offs = new Map<string, bigint>()
  for (const line of kept) {
    assertLine(line, subject)
    const { asset } = line.account
    offs.set(asset, (offs.get(asset) ?? 0n) + line.debitMinor - line.creditMinor)
  }
  for (const [asset, off] of offs)
    assert(off === 0n, `journal ${subject} does not balance: it is off by ${off} ${asset}`)
  return { id, kind, subject, reverses, lines: kept } as unknown as Journal
}

/** Returns a journal that reverses another journal: its debits and credits are swapped. */
export function mirror(original: Journal, { kind, subject }: { kind: string; subject: string }): Journal {
  const lines = original.lines.map(({ account, debitMinor, creditMinor }) => ({
    account,
    debitMinor: creditMinor,
    creditMinor: debitMinor,
  }))
  return journal({ kind, subject, reverses: original.id, lines })
}

export function debit(account: LedgerAccount, amountMinor: bigint): Line {
  return { account, debitMinor: amountMinor, creditMinor: 0n }
}

export function credit(account: LedgerAccount, amountMinor: bigint): Line {
  return { account, debitMinor: 0n, creditMinor: amountMinor }
}

export function isMerchantAccount(name: AccountName): name is MerchantAccountName {
  return name === 'available' || name === 'held' || name === 'quarantine'
}

/** Returns a text that identifies an account. Different accounts have different texts. */
export function accountKey({ name, ownerId, asset }: LedgerAccount): string {
  return `${name} ${ownerId?.toLowerCase() ?? '-'} ${asset}`
}

function assertLine({ account, debitMinor, creditMinor }: Line, subject: string): void {
  assert(debitMinor >= 0n && creditMinor >= 0n, `journal ${subject} has a line with a negative amount`)
  assert(debitMinor === 0n || creditMinor === 0n, `journal ${subject} has a line on both sides`)
  assert(account.asset !== '', `journal ${subject} has a line without an asset`)
  assert(
    account.ownerId !== undefined || !isMerchantAccount(account.name),
    `journal ${subject} has a line on ${account.name} without an owner`,
  )
}
