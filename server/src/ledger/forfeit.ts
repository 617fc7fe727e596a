/**
 * Forfeits the money of a deleted merchant: moves it to the merchant's `forfeited` account. The kind of the
 * journal names the account from which the money came. A recovery moves the money back to that account. Money
 * that came to `forfeited` for another reason is not recovered.
 */
import type { Tx } from '../platform/db/transaction.ts'
import { credit, debit, type Journal, journal } from './journal.ts'
import { post } from './post.ts'
import { lockOwned, sumForfeited } from './store.ts'

/**
 * The accounts whose money is forfeited. `held` is not among them, because its money still belongs to pending
 * withdrawals.
 */
const sources = ['available', 'quarantine'] as const

export interface Forfeit {
  readonly ownerId: string
  /** Identifies the event for which the journals are posted. Each event has a different subject. */
  readonly subject: string
}

/**
 * Moves the owner's available and quarantined money to the owner's `forfeited` account. Money on hold stays
 * in `held` until the hold ends.
 */
export async function forfeit(tx: Tx, { ownerId, subject }: Forfeit): Promise<void> {
  const owned = await lockOwned(tx, ownerId, sources)
  const journals = sources.flatMap((source): Journal[] => {
    const lines = owned
      .filter(({ name }) => name === source)
      .map(({ asset, debitsMinor, creditsMinor }) => ({ asset, amountMinor: creditsMinor - debitsMinor }))
      .filter(({ amountMinor }) => amountMinor > 0n)
      .flatMap(({ asset, amountMinor }) => [
        debit({ name: source, ownerId, asset }, amountMinor),
        credit({ name: 'forfeited', ownerId, asset }, amountMinor),
      ])
    if (lines.length === 0) return []
    return [journal({ kind: `forfeited.${source}`, subject: `${subject}:${source}`, lines })]
  })
  await post(tx, journals)
}

/** Books forfeited money back to the accounts from which it came, except what was recovered before. */
export async function recover(tx: Tx, { ownerId, subject }: Forfeit): Promise<void> {
  const left = await sumForfeited(tx, [ownerId])
  const journals = sources.flatMap((source): Journal[] => {
    const lines = left
      .filter((one) => one.source === source)
      .flatMap(({ asset, amountMinor }) => [
        debit({ name: 'forfeited', ownerId, asset }, amountMinor),
        credit({ name: source, ownerId, asset }, amountMinor),
      ])
    if (lines.length === 0) return []
    return [journal({ kind: `recovered.${source}`, subject: `${subject}:${source}`, lines })]
  })
  await post(tx, journals)
}

/** A debit that is about to be booked on an owner's `available` or `quarantine` account. */
export interface Claim extends Forfeit {
  readonly asset: string
  readonly amountMinor: bigint
  /** The account that will be debited; `available` if undefined. */
  readonly from?: (typeof sources)[number]
}

/**
 * Called before debits (`Claim`) of deleted merchants are booked. Moves forfeited money back to the accounts
 * that will be debited, but no more than was forfeited from each account. Such debits still occur after the
 * deletion: a reorganisation can reverse a credit, and a deposit can leave quarantine.
 */
export async function recoverForClaims(tx: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return
  const forfeited = await sumForfeited(tx, [...new Set(claims.map(({ ownerId }) => ownerId))])
  const left = new Map(forfeited.map((one) => [`${one.source} ${one.ownerId} ${one.asset}`, one.amountMinor]))
  const journals = claims.flatMap(
    ({ ownerId, asset, subject, amountMinor: wanted, from = 'available' }): Journal[] => {
      const key = `${from} ${ownerId} ${asset}`
      const rest = left.get(key) ?? 0n
      const amountMinor = wanted < rest ? wanted : rest
      left.set(key, rest - amountMinor)
      if (amountMinor === 0n) return []
      const lines = [
        debit({ name: 'forfeited', ownerId, asset }, amountMinor),
        credit({ name: from, ownerId, asset }, amountMinor),
      ]
      return [journal({ kind: `recovered.${from}`, subject, lines })]
    },
  )
  await post(tx, journals)
}
