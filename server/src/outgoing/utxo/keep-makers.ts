import { readCursor } from '../../chains/blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import { raiseAlert } from '../engine/machine.ts'
import type { MachineMemory, MakersLook } from '../engine/machine-memory.ts'
import type { CoinParts } from './coin-parts.ts'
import { findUnshown, insertMakers, type UnshownBlock } from './maker-store.ts'

/**
 * Keeps the transactions that made our coins while nodes have their blocks, where signatures vouch for no amount. Coins whose
 * maker no node shows are not spent, and are asked for again with the next block; nothing else waits for them.
 */
export async function keepMakers(
  parts: CoinParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<void> {
  const { db, network, drafts } = parts
  if (!drafts.needsMakers) return
  const cursor = await readCursor(db, network.name)
  const last = memory.makersLook
  if (cursor === undefined || (last?.isOver === true && last.at === cursor.hash)) return
  const begun = { at: cursor.hash, below: cursor.height + 1, missed: 0, why: undefined, isOver: false }
  memory.makersLook = await lookOn(parts, last === undefined || last.isOver ? begun : last, signal)
  const { isOver, missed, why } = memory.makersLook
  if (!isOver || missed === 0) return
  const fields = { subject: network.name, blocks: missed, err: why }
  raiseAlert(parts, memory, 'coins-unshown', fields, 'no node shows what made some coins: they wait')
}

/** One part of a look: nothing is planned while nodes are asked. */
async function lookOn(parts: CoinParts, look: MakersLook, signal: AbortSignal): Promise<MakersLook> {
  const { db, network } = parts
  const { makersBlocks: max, makersLookMs } = limits
  const blocks = await findUnshown(db, network.name, { below: look.below, max })
  const endMs = performance.now() + makersLookMs
  let { below, missed, why } = look
  for (const block of blocks) {
    const error = await keepOf(parts, block, signal)
    if (error !== undefined) missed += 1
    why = error ?? why
    below = block.height
    if (performance.now() > endMs) break
  }
  const isOver = blocks.length < max && below === (blocks.at(-1)?.height ?? below)
  return { at: look.at, below, missed, why, isOver }
}

/** @returns why the block could not be read */
async function keepOf(
  { db, network, sender }: CoinParts,
  block: UnshownBlock,
  signal: AbortSignal,
): Promise<NodeError | undefined> {
  try {
    const makers = await sender.readMakers(block.hash, block.txHashes, signal)
    await insertMakers(db, network.name, makers)
    const missing = block.txHashes.find((txHash) => !makers.has(txHash))
    return missing === undefined ? undefined : new NodeError(`${missing} is not in block ${block.height}`)
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    return error
  }
}
