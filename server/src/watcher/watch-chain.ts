import { type ChainReader, NodeError } from '../chains/port.ts'
import type { Clock } from '../core/clock.ts'
import { Wake, workLoop } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { type Guard, withLease } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { followChain } from './follow-chain.ts'
import { followMempool } from './follow-mempool.ts'
import { FailureRecord } from './keep-failure.ts'

export interface WatchChainParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  readonly screening?: Pick<Screening, 'screenAll'>
  readonly clock: Clock
  readonly log: Log
  readonly mayUndoFinal: boolean
  /** How often to ask for a new head when no subscription tells of one. */
  readonly pollMs: number
  /** Holds on the database's history that this process knows; nothing is written on another one. */
  readonly guard?: Guard | undefined
  readonly signal: AbortSignal
}

/**
 * Follows one chain until the signal aborts: one process at a time, under a lease, woken by new heads. While it cannot,
 * the database says why.
 */
export function watchChain(parts: WatchChainParts): Promise<void> {
  const { db, chain, clock, log, signal, guard } = parts
  const lease = { db, name: `watch ${chain.network}`, ttlMs: limits.leaseMs, guard, clock, log, signal }
  return withLease(lease, async (held, heldSignal) => {
    const failure = new FailureRecord({ db, network: chain.network, lease: held, log })
    await failure.during((stop) => requireFit(chain, stop), heldSignal)
    const wake = new Wake()
    chain.watchHeads(() => wake.now(), heldSignal)
    const onHold = holdTeller(parts)
    const worker = {
      name: `watch ${chain.network}`,
      idleMs: parts.pollMs,
      takeAndDo: async (stop: AbortSignal) => {
        const blocks = await failure.during(
          (either) => followChain({ ...parts, lease: held, onHold }, either),
          stop,
        )
        await failure.clear()
        return blocks
      },
    }
    const loop = { clock, log, signal: heldSignal }
    // A mempool that cannot be read holds up no block.
    const { mempool } = chain
    const mempools = mempool === undefined ? [] : [followMempool({ ...parts, mempool, lease: held })]
    await Promise.all([
      workLoop(worker, { ...loop, wake }),
      ...mempools.map((mempool) => workLoop(mempool, loop)),
    ])
  })
}

/** Tells the log once that blocks wait, and once that they are read on. */
export function holdTeller({
  chain: { network },
  log,
}: {
  readonly chain: Pick<ChainReader, 'network'>
  readonly log: Log
}): (isHeld: boolean) => void {
  let wasHeld = false
  return (isHeld) => {
    if (isHeld === wasHeld) return
    wasHeld = isHeld
    const text = isHeld
      ? 'no block is read until a recovery from a loss is over: "coffer doctor" says what it waits for'
      : 'the recovery from a loss is over, blocks are read on'
    log.warn({ network }, text)
  }
}

/** What contracts pay and a node does not see would be missed for ever, so no such node is followed. */
async function requireFit(chain: ChainReader, signal: AbortSignal): Promise<void> {
  await chain.checkIdentity(signal)
  if (!chain.traits.seesInternalTransfers)
    throw new NodeError(`what contracts pay cannot be seen on ${chain.network}: use nodes that trace`)
}
