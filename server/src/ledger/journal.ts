/**
 * Double entry. A journal says what one event moved between accounts; per asset its debits equal its credits. Here is
 * the first of three walls (the constructor, a deferred database constraint, `coffer verify`): a journal that does not
 * balance cannot be built.
 */
import { assert } from '../core/assert.ts'
import { newId } from '../core/ids.ts'

/** What is owed to a merchant; each has an owner and never falls below zero. */
export type MerchantAccountName = 'available' | 'held' | 'quarantine'

/** Coffer's own side. Kept as sub-accounts per merchant where one is involved, so that no single row is hot. */
export type PlatformAccountName =
  | 'custody'
  | 'fees'
  | 'network_fees'
  | 'capital'
  | 'below_minimum'
  | 'suspense'
  | 'unattributed'
  | 'forfeited'

export type AccountName = MerchantAccountName | PlatformAccountName

/** The side on which an account grows: what we have and what we spent by debit, what we owe and earned by credit. */
export const normalSides: Readonly<Record<AccountName, 'debit' | 'credit'>> = {
  available: 'credit',
  held: 'credit',
  quarantine: 'credit',
  custody: 'debit',
  fees: 'credit',
  network_fees: 'debit',
  capital: 'credit',
  below_minimum: 'credit',
  suspense: 'debit',
  unattributed: 'credit',
  forfeited: 'credit',
}

export interface LedgerAccount {
  readonly name: AccountName
  /** The merchant's id; required on merchant accounts. */
  readonly ownerId?: string | undefined
  /** `<network>/<symbol>`, such as `ethereum/USDT`. */
  readonly asset: string
}

/** One side of a line is above zero, the other is zero; both in the asset's smallest unit. */
export interface Line {
  readonly account: LedgerAccount
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

declare const balanced: unique symbol

/** Only `journal` and `mirror` make one. */
export interface Journal {
  readonly [balanced]: true
  readonly id: string
  readonly kind: string
  /** What happened, once and for ever: posting the same subject twice is refused. */
  readonly subject: string
  /** The journal that this one takes back. */
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
 * Builds a journal; lines of zero are dropped.
 * @throws InvariantError unless at least two lines are left, all amounts are positive and each asset balances.
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
  for (const [asset, off] of offs) assert(off === 0n, `journal ${subject} is off by ${off} ${asset}`)
  return { id, kind, subject, reverses, lines: kept } as unknown as Journal
}

/** The exact opposite of a journal: applied after it, every account is as before. */
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

/** Equal for two descriptions of the same account, different for any others. */
export function accountKey({ name, ownerId, asset }: LedgerAccount): string {
  return `${name} ${ownerId?.toLowerCase() ?? '-'} ${asset}`
}

function assertLine({ account, debitMinor, creditMinor }: Line, subject: string): void {
  assert(debitMinor >= 0n && creditMinor >= 0n, `journal ${subject} has a line below zero`)
  assert(debitMinor === 0n || creditMinor === 0n, `journal ${subject} has a line on both sides`)
  assert(account.asset !== '', `journal ${subject} has a line without an asset`)
  assert(
    account.ownerId !== undefined || !isMerchantAccount(account.name),
    `journal ${subject} has a line on ${account.name} of nobody`,
  )
}
