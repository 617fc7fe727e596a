import type { Charge } from './policy.ts'

interface Account {
  /** By payout, the oldest first; those above 24 hours are dropped. */
  readonly recent: Map<string, { readonly atMs: number; amountMinor: bigint }>
  dayMinor: bigint
  totalMinor: bigint
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * What was spent of each account of a policy, in 24 hours and ever. Attempts of a payout within a day count once, as the
 * dearest of them, since at most one is ever mined.
 */
export class Spending {
  readonly #accounts = new Map<string, Account>()

  /** Says which limit the charges of a payout would break; undefined where they keep to all. */
  faultOf(payoutId: string, charges: readonly Charge[], now: Date): string | undefined {
    for (const charge of charges) {
      const { account, name, amountMinor, largestMinor = amountMinor } = charge
      const spent = this.#accountAt(account, now)
      const more = moreThanBefore(spent, payoutId, amountMinor)
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

  add(payoutId: string, charges: readonly Charge[], at: Date): void {
    for (const { account, amountMinor } of charges) {
      const spent = this.#accountAt(account, at)
      const more = moreThanBefore(spent, payoutId, amountMinor)
      spent.totalMinor += more
      spent.dayMinor += more
      const known = spent.recent.get(payoutId)
      if (known !== undefined) known.amountMinor += more
      else spent.recent.set(payoutId, { atMs: at.getTime(), amountMinor })
    }
  }

  #accountAt(name: string, now: Date): Account {
    const account = this.#accounts.get(name) ?? { recent: new Map(), dayMinor: 0n, totalMinor: 0n }
    this.#accounts.set(name, account)
    for (const [payoutId, { atMs, amountMinor }] of account.recent) {
      if (atMs > now.getTime() - dayMs) break
      account.recent.delete(payoutId)
      account.dayMinor -= amountMinor
    }
    return account
  }
}

function moreThanBefore({ recent }: Account, payoutId: string, amountMinor: bigint): bigint {
  const before = recent.get(payoutId)?.amountMinor ?? 0n
  return amountMinor > before ? amountMinor - before : 0n
}
