/**
 * What an owner leaves behind is kept on a `forfeited` account of its own, from where it can be recovered. Journals say
 * by their kind which of the owner's accounts an amount came from, so that it goes back there, and so that it is not
 * taken for what was forfeited for another reason.
 */
import type { Tx } from '../platform/db/transaction.ts'
import { credit, debit, type Journal, journal } from './journal.ts'
import { post } from './post.ts'
import { lockOwned, sumForfeited } from './store.ts'

/** Where an owner's money lies that nothing else has a claim on. */
const sources = ['available', 'quarantine'] as const

export interface Forfeit {
  readonly ownerId: string
  /** What made it happen, once. */
  readonly subject: string
}

/** Moves all that is available or in quarantine to the owner's `forfeited`. What is held stays until it ends. */
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

/** Moves back what was forfeited and not recovered yet, to where it came from. */
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

/** An amount that is about to be taken from what an owner had available, or in quarantine. */
export interface Claim extends Forfeit {
  readonly asset: string
  readonly amountMinor: bigint
  /** `available` when absent. */
  readonly from?: (typeof sources)[number]
}

/**
 * Brings back what claims need to the accounts they take it from, as far as it was forfeited from there: credits of a
 * merchant that is deleted can still be taken back by a reorganisation, and its quarantine be ended.
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
