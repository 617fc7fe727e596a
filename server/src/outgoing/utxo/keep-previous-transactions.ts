import { readCursor } from '../../chains/blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import { monotonicMs } from '../../core/clock.ts'
import { limits } from '../../core/limits.ts'
import type { EngineMemory, PreviousTransactionScan } from '../engine/engine-memory.ts'
import { raiseAlert } from '../engine/engine-parts.ts'
import { findUnshown, insertPreviousTransactions, type UnshownBlock } from './previous-transaction-store.ts'
import type { UtxoParts } from './utxo-parts.ts'

/**
 * Stores the previous transactions of our UTXOs while nodes still have the blocks of these transactions. Only
 * chains whose signatures do not prove amounts need this. A UTXO cannot be spent until a node has returned
 * its previous transaction. If some are missing, the nodes are asked again at the next block, and other work
 * continues.
 */
export async function keepPreviousTransactions(
  parts: UtxoParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<void> {
  const { db, network, drafts } = parts
  if (!drafts.needsPreviousTransactions) return
  const cursor = await readCursor(db, network.name)
  const last = memory.previousTransactionScan
  if (cursor === undefined || (last?.isOver === true && last.at === cursor.hash)) return
  const begun = { at: cursor.hash, below: cursor.height + 1, missed: 0, why: undefined, isOver: false }
  memory.previousTransactionScan = await continueScan(
    parts,
    last === undefined || last.isOver ? begun : last,
    signal,
  )
  const { isOver, missed, why } = memory.previousTransactionScan
  if (!isOver || missed === 0) return
  const fields = { subject: network.name, blocks: missed, err: why }
  raiseAlert(
    parts,
    memory,
    'previous-transactions-missing',
    fields,
    'no node returns the previous transactions of some UTXOs: they are not spent yet',
  )
}

/**
 * Runs one part of a scan. The part ends after a time limit, because no transaction is planned during the
 * scan.
 */
async function continueScan(
  parts: UtxoParts,
  scan: PreviousTransactionScan,
  signal: AbortSignal,
): Promise<PreviousTransactionScan> {
  const { db, network } = parts
  const { previousTransactionBlocks: max, previousTransactionScanMs } = limits
  const blocks = await findUnshown(db, network.name, { below: scan.below, max })
  const endMs = monotonicMs() + previousTransactionScanMs
  let { below, missed, why } = scan
  for (const block of blocks) {
    const error = await keepOf(parts, block, signal)
    if (error !== undefined) missed += 1
    why = error ?? why
    below = block.height
    if (monotonicMs() > endMs) break
  }
  const isOver = blocks.length < max && below === (blocks.at(-1)?.height ?? below)
  return { at: scan.at, below, missed, why, isOver }
}

/**
 * Stores the previous transactions in one block.
 * @returns why the block could not be read; undefined if all of its previous transactions were read
 */
async function keepOf(
  { db, network, sender }: UtxoParts,
  block: UnshownBlock,
  signal: AbortSignal,
): Promise<NodeError | undefined> {
  try {
    const previousTransactions = await sender.readPreviousTransactions(block.hash, block.txHashes, signal)
    await insertPreviousTransactions(db, network.name, previousTransactions)
    const missing = block.txHashes.find((txHash) => !previousTransactions.has(txHash))
    return missing === undefined ? undefined : new NodeError(`${missing} is not in block ${block.height}`)
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    return error
  }
}
