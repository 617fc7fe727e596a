/**
 * Keeps the spend floor up to date while nothing is planned. The approval of withdrawals reads the floor from
 * the database. If only planning stored it, orders could wait for ever for a fee rate that has long fallen.
 */
import { readCursor } from '../../chains/blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { readPlanRate, saveSpendFloor } from './plan-utxo-transactions.ts'
import type { UtxoParts } from './utxo-parts.ts'

/**
 * Stores the spend floor at the current fee rate, once for each block in our list. A rate above the maximum is not
 * stored, because nothing is planned at it. If the node does not answer, the floor stays as it is until the next round.
 */
export async function noteSpendFloor(
  parts: UtxoParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<void> {
  const cursor = await readCursor(parts.db, parts.network.name)
  if (cursor === undefined || memory.lastFlooredBlock === cursor.hash) return
  const feeRate = await readPlanRate(parts, signal).catch((error: unknown) => {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    parts.log.warn({ network: parts.network.name, err: error }, 'the fee rate cannot be read now')
    return undefined
  })
  if (feeRate === undefined || feeRate > parts.network.chain.feeRateMax) return
  await saveSpendFloor(parts, feeRate)
  memory.lastFlooredBlock = cursor.hash
}
