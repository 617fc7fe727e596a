import { readCursor } from '../../blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import { raiseAlert } from '../machine.ts'
import type { Session } from '../session.ts'
import type { CoinParts } from './coin-parts.ts'
import { findUnshown, insertMakers, type UnshownBlock } from './maker-store.ts'

const blocksPerRound = 100

/**
 * Keeps the transactions that made our coins while nodes have their blocks, where signatures vouch for no amount. Coins whose
 * maker no node shows are not spent; nothing else waits for them.
 */
export async function keepMakers(parts: CoinParts, session: Session, signal: AbortSignal): Promise<void> {
  const { db, network, drafts } = parts
  if (!drafts.needsMakers) return
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || cursor.hash === session.makersAt) return
  const blocks = await findUnshown(db, network.name, blocksPerRound)
  try {
    for (const block of blocks) await keepOf(parts, block, signal)
    if (blocks.length < blocksPerRound) session.makersAt = cursor.hash
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    // Asked again with the next block.
    session.makersAt = cursor.hash
    const fields = { subject: network.name, blocks: blocks.length, err: error }
    raiseAlert(parts, session, 'coins-unshown', fields, 'no node shows what made some coins: they wait')
  }
}

async function keepOf({ db, network, sender }: CoinParts, block: UnshownBlock, signal: AbortSignal) {
  const makers = await sender.readMakers(block.hash, block.txHashes, signal)
  const missing = block.txHashes.find((txHash) => !makers.has(txHash))
  if (missing !== undefined) throw new NodeError(`${missing} is not in block ${block.height}`)
  await insertMakers(db, network.name, makers)
}
