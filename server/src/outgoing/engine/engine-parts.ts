/** The dependencies of the engine's steps on one network, and functions that several steps use. */

import type { Cursor } from '../../chains/blocks/block.ts'
import type { Network } from '../../chains/networks.ts'
import type { ChainReader, ChainSender } from '../../chains/port.ts'
import { monotonicMs } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { assertLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Signer } from '../../signing/signer-port.ts'
import type { HaltCause } from './controls/halt-store.ts'
import { haltOutgoing } from './controls/halts.ts'
import type { EngineMemory } from './engine-memory.ts'
import type { FamilyStrategy } from './family-strategy.ts'
import type { OutgoingSource } from './outgoing-source.ts'

/** The dependencies that the engine and the strategies of its chain families share. */
export interface StrategyParts {
  readonly db: Db
  readonly log: Log
  readonly network: Network
  readonly chain: ChainReader
  readonly sender: Pick<ChainSender, 'broadcast'>
  readonly signer: Signer
  /** The outgoing sources, in the order in which the engine asks them for proposals. */
  readonly outgoingSources: readonly OutgoingSource[]
  /**
   * Whether a block that counts as final may still be undone. That happens only on dev chains and on chains
   * that do not report finality.
   */
  readonly mayUndoFinal: boolean
  /**
   * The number of confirmations at which a block counts as final, on chains that do not report finality. The
   * block itself counts as the first confirmation.
   */
  readonly finalDepth?: number
}

export interface EngineParts extends StrategyParts {
  readonly strategy: FamilyStrategy
}

/** Returns the name of the network's coin in the ledger, such as `ethereum/ETH`. */
export function coinOf({ network }: Pick<EngineParts, 'network'>): string {
  return `${network.name}/${network.coin.symbol}`
}

/**
 * Returns the height of the highest block that is final for outgoing transactions. On a chain that reports
 * finality, only the reported height counts, as for deposits (`finalHeightOf`).
 */
export function settledHeight(
  { finalDepth }: Pick<StrategyParts, 'finalDepth'>,
  { height, finalHeight }: Pick<Cursor, 'height' | 'finalHeight'>,
): number {
  return finalDepth === undefined ? finalHeight : height - finalDepth + 1
}

/**
 * Halts all outgoing transactions for a cause that was found while this process held the lease. A process
 * that has lost the lease halts nothing, because its finding may be outdated.
 * @throws LeaseLostError if this process no longer holds the lease
 */
export async function haltUnderLease(
  { db, log }: Pick<EngineParts, 'db' | 'log'>,
  { lease }: EngineMemory,
  cause: HaltCause,
  detail: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await haltOutgoing({ db: tx, log }, cause, detail)
  })
}

const alertEveryMs = 60_000

/**
 * Raises an alert. The same alert for the same subject is raised at most once a minute.
 * @param alert is a stable code
 */
export function raiseAlert(
  { log, network }: Pick<EngineParts, 'log' | 'network'>,
  { alertedAtMs }: EngineMemory,
  alert: string,
  fields: { readonly subject: string } & Readonly<Record<string, unknown>>,
  message: string,
): void {
  const key = `${alert} ${fields.subject}`
  const nowMs = monotonicMs()
  const lastMs = alertedAtMs.get(key)
  if (lastMs !== undefined && nowMs - lastMs < alertEveryMs) return
  for (const [other, atMs] of alertedAtMs) if (nowMs - atMs >= alertEveryMs) alertedAtMs.delete(other)
  alertedAtMs.set(key, nowMs)
  log.error({ alert, network: network.name, ...fields }, message)
}
