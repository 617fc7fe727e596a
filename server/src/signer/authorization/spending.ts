import type { Charge } from './policy.ts'

interface Account {
  /** Amounts of the last 24 hours by outgoing transaction, oldest first. Older amounts are dropped. */
  readonly recent: Map<string, { readonly atMs: number; amountMinor: bigint }>
  dayMinor: bigint
  totalMinor: bigint
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Sums the amounts that count towards limits, for each account (`Charge.account`), over the last 24 hours and
 * in total. Attempts of an outgoing transaction within 24 hours count once, with the highest amount, because
 * at most one of them is ever mined.
 */
export class Spending {
  readonly #accounts = new Map<string, Account>()

  /**
   * Returns a message about the limit that the charges of an outgoing transaction would exceed; undefined if
   * the charges exceed no limit.
   */
  errorOf(outgoingTransactionId: string, charges: readonly Charge[], now: Date): string | undefined {
    for (const charge of charges) {
      const { account, name, amountMinor, largestMinor = amountMinor } = charge
      const spent = this.#accountAt(account, now)
      const more = moreThanBefore(spent, outgoingTransactionId, amountMinor)
      const inAll = spent.totalMinor + more
      const inDay = spent.dayMinor + more
      if (largestMinor > charge.perTransactionMinor) {
        return `${name}: ${largestMinor} in one transaction, ${charge.perTransactionMinor} are allowed`
      }
      if (inDay > charge.per24HoursMinor) {
        return `${name}: ${inDay} within 24 hours, ${charge.per24HoursMinor} are allowed`
      }
      if (inAll > charge.totalMinor) return `${name}: ${inAll} in all, ${charge.totalMinor} are allowed`
    }
    return undefined
  }

  add(outgoingTransactionId: string, charges: readonly Charge[], at: Date): void {
    for (const { account, amountMinor } of charges) {
      const spent = this.#accountAt(account, at)
      const more = moreThanBefore(spent, outgoingTransactionId, amountMinor)
      spent.totalMinor += more
      spent.dayMinor += more
      const known = spent.recent.get(outgoingTransactionId)
      if (known !== undefined) known.amountMinor += more
      else spent.recent.set(outgoingTransactionId, { atMs: at.getTime(), amountMinor })
    }
  }

  #accountAt(name: string, now: Date): Account {
    const account = this.#accounts.get(name) ?? { recent: new Map(), dayMinor: 0n, totalMinor: 0n }
    this.#accounts.set(name, account)
    for (const [outgoingTransactionId, { atMs, amountMinor }] of account.recent) {
      if (atMs > now.getTime() - dayMs) break
      account.recent.delete(outgoingTransactionId)
      account.dayMinor -= amountMinor
    }
    return account
  }
}

function moreThanBefore({ recent }: Account, outgoingTransactionId: string, amountMinor: bigint): bigint {
  const before = recent.get(outgoingTransactionId)?.amountMinor ?? 0n
  return amountMinor > before ? amountMinor - before : 0n
}
