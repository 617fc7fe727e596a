/** What the steps of the outgoing machine work with, on one network. */
import type { Cursor } from '../../chains/blocks/block.ts'
import type { Network } from '../../chains/networks.ts'
import type { ChainReader, ChainSender } from '../../chains/port.ts'
import type { Log } from '../../core/log.ts'
import { assertLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Signer } from '../../signing/signer-port.ts'
import type { HaltCause } from './controls/halt-store.ts'
import { haltPayouts } from './controls/halts.ts'
import type { MachineMemory } from './machine-memory.ts'
import type { PayoutPurpose } from './purpose.ts'
import type { PayoutWay } from './way.ts'

/** What every way of making transactions works with too. */
export interface MachineParts {
  readonly db: Db
  readonly log: Log
  readonly network: Network
  readonly chain: ChainReader
  readonly sender: Pick<ChainSender, 'broadcast'>
  readonly signer: Signer
  /** In the order in which they are asked what is to be sent. */
  readonly purposes: readonly PayoutPurpose[]
  /** Whether final blocks may still be taken back: on dev chains, and where the chain calls none final. */
  readonly mayUndoFinal: boolean
  /** Blocks, its own counted, after which one is taken as final where the chain has no such notion. */
  readonly finalDepth?: number
}

export interface PayoutParts extends MachineParts {
  readonly way: PayoutWay
}

/** The network's coin, as the ledger calls it. */
export function coinOf({ network }: Pick<PayoutParts, 'network'>): string {
  return `${network.name}/${network.coin.symbol}`
}

/**
 * The highest of our blocks that stays for good. What is credited may make do with depth while a chain has not said yet
 * which blocks are final (`finalHeightOf`); what was sent is settled by its word alone where it has one.
 */
export function settledHeight(
  { finalDepth }: Pick<MachineParts, 'finalDepth'>,
  { height, finalHeight }: Pick<Cursor, 'height' | 'finalHeight'>,
): number {
  return finalDepth === undefined ? finalHeight : height - finalDepth + 1
}

/** Halts everything by what was found under the lease; whoever lost it was looking at something old, and halts nothing. */
export async function haltUnderLease(
  { db, log }: Pick<PayoutParts, 'db' | 'log'>,
  { lease }: MachineMemory,
  cause: HaltCause,
  detail: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await haltPayouts({ db: tx, log }, cause, detail)
  })
}

const alertEveryMs = 60_000

/** Tells operators of something that stands, once a minute for as long as it does. `alert` is a stable word. */
export function raiseAlert(
  { log, network }: Pick<PayoutParts, 'log' | 'network'>,
  { alertedAtMs }: MachineMemory,
  alert: string,
  fields: { readonly subject: string } & Readonly<Record<string, unknown>>,
  message: string,
): void {
  const key = `${alert} ${fields.subject}`
  const nowMs = performance.now()
  const lastMs = alertedAtMs.get(key)
  if (lastMs !== undefined && nowMs - lastMs < alertEveryMs) return
  for (const [other, atMs] of alertedAtMs) if (nowMs - atMs >= alertEveryMs) alertedAtMs.delete(other)
  alertedAtMs.set(key, nowMs)
  log.error({ alert, network: network.name, ...fields }, message)
}
