import { call } from '../json-rpc.ts'
import { textOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { type RawBlock, readRawBlock } from './encoding/raw-block.ts'

/** A block by its hash, which its bytes were found to have. */
export async function fetchRawBlock(
  calls: CoreCalls,
  blockHash: string,
  hasAuxPow: boolean,
  signal: AbortSignal,
): Promise<RawBlock> {
  // Dogecoin Core takes no number there; the others take false as 0.
  const hex = textOf(await calls.result(call('getblock', blockHash, false), signal), 'block')
  return readRawBlock(hex, blockHash, hasAuxPow)
}
