/**
 * Queues of payments that wait until a wallet holds enough of an asset, one queue for each asset. Pure.
 *
 * Smaller payments may overtake a payment that waits. To limit its wait, a payment may reserve the asset:
 * incoming funds are then kept for this payment. It may reserve the asset after it has waited for `roundsMax`
 * rounds, or at once if the wallets together hold enough. A reservation lasts at most `roundsMax` rounds.
 * During the `roundsMax` rounds after it, no payment may reserve the asset. If several rounds run at the same
 * block, they count as one round, because funds arrive only with a new block.
 */

export type QueuePhase =
  | { readonly type: 'open' }
  /** A payment has reserved the asset, and may reserve it for at most `roundsLeft` more rounds. */
  | { readonly type: 'reserved'; readonly id: string; readonly roundsLeft: number }
  | { readonly type: 'yielding'; readonly roundsLeft: number }

/** The queue of payments that wait for one asset. */
export interface PaymentQueue {
  readonly phase: QueuePhase
  /** The number of consecutive rounds for which each payment has waited, by payment id. */
  readonly waited: ReadonlyMap<string, number>
}

/** The result of one round for an asset. */
export interface QueueOutcome {
  /** The ids of the payments that wait for the asset, the first in the queue first. */
  readonly waiting: readonly string[]
  /** The id of the payment that reserved the asset in this round. */
  readonly reserving: string | undefined
}

export const emptyQueue: PaymentQueue = { phase: { type: 'open' }, waited: new Map() }

/**
 * Returns true if a waiting payment may reserve the asset, so that later payments in the queue cannot use it.
 * @param isWithinReach is true if the wallets together hold enough, so that the payment can be made after a
 * rebalance
 */
function mayReserve(
  { phase, waited }: PaymentQueue,
  id: string,
  isWithinReach: boolean,
  roundsMax: number,
): boolean {
  if (phase.type === 'yielding') return false
  if (phase.type === 'reserved') return phase.id === id
  return isWithinReach || (waited.get(id) ?? 0) >= roundsMax
}

export function nextQueue(
  queue: PaymentQueue,
  { waiting, reserving }: QueueOutcome,
  roundsMax: number,
): PaymentQueue {
  const waited = new Map(waiting.map((id) => [id, (queue.waited.get(id) ?? 0) + 1]))
  return { phase: nextPhase(queue.phase, reserving, roundsMax), waited }
}

/**
 * Returns the phase of the queue in the next round. Each reservation is followed by the phase `yielding`.
 * Without that phase, payments could reserve the asset one after the other forever.
 */
function nextPhase(phase: QueuePhase, reserving: string | undefined, roundsMax: number): QueuePhase {
  if (phase.type === 'yielding')
    return phase.roundsLeft > 1 ? { type: 'yielding', roundsLeft: phase.roundsLeft - 1 } : { type: 'open' }
  if (phase.type === 'open' && reserving === undefined) return phase
  const roundsLeft = (phase.type === 'open' ? roundsMax : phase.roundsLeft) - 1
  const isOver = reserving === undefined || roundsLeft < 1
  return isOver
    ? { type: 'yielding', roundsLeft: roundsMax }
    : { type: 'reserved', id: reserving, roundsLeft }
}

/** The queues of waiting payments, one for each asset. The holder of the lease keeps them in memory. */
export interface PaymentQueues {
  /** The hash of the highest block in our list when the last round ran. */
  readonly at: string
  /** The queues of all assets, as they were before the first round at the block `at`. */
  readonly byAsset: ReadonlyMap<string, PaymentQueue>
  /** For each asset, the result of the last round at the block `at`. */
  readonly outcomes: ReadonlyMap<string, QueueOutcome>
}

export const noQueues: PaymentQueues = { at: '', byAsset: new Map(), outcomes: new Map() }

/**
 * Returns the queues for a round at the block with hash `at`. If this is the first round at that block, the
 * queues advance by one round.
 */
export function queuesAt(queues: PaymentQueues, at: string, roundsMax: number): PaymentQueues {
  if (queues.at === at) return queues
  const byAsset = new Map(
    [...queues.outcomes].map(([asset, outcome]) => [
      asset,
      nextQueue(queues.byAsset.get(asset) ?? emptyQueue, outcome, roundsMax),
    ]),
  )
  // A queue also advances if no payment waited in it during the last round. Otherwise its phase would never
  // end.
  for (const [asset, queue] of queues.byAsset) {
    if (!byAsset.has(asset))
      byAsset.set(asset, nextQueue(queue, { waiting: [], reserving: undefined }, roundsMax))
  }
  return { at, byAsset, outcomes: new Map() }
}

/** Records during a round which payments wait for which asset, and which payment reserves an asset. */
export class QueueBook {
  readonly #queues: PaymentQueues
  readonly #roundsMax: number
  readonly #waiting = new Map<string, string[]>()
  readonly #reserving = new Map<string, string>()

  constructor(queues: PaymentQueues, roundsMax: number) {
    this.#queues = queues
    this.#roundsMax = roundsMax
  }

  /** Records that a payment must wait for an asset in this round. Reserves the asset for it if allowed. */
  wait(asset: string, id: string, isWithinReach: boolean): void {
    this.#waiting.set(asset, [...(this.#waiting.get(asset) ?? []), id])
    if (this.#reserving.has(asset)) return
    const queue = this.#queues.byAsset.get(asset) ?? emptyQueue
    if (mayReserve(queue, id, isWithinReach, this.#roundsMax)) this.#reserving.set(asset, id)
  }

  /**
   * Returns true if a payment reserved the asset in this round, so that later payments cannot use the asset.
   */
  isReserved(asset: string): boolean {
    return this.#reserving.has(asset)
  }

  /** Returns the queues together with the results of this round. */
  close(): PaymentQueues {
    const outcomes = [...this.#waiting].map(([asset, waiting]): [string, QueueOutcome] => [
      asset,
      { waiting, reserving: this.#reserving.get(asset) },
    ])
    return { ...this.#queues, outcomes: new Map(outcomes) }
  }
}
