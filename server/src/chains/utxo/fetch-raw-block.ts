import { call } from '../json-rpc.ts'
import { textOf } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { type RawBlock, readRawBlock } from './encoding/raw-block.ts'

/** Fetches the block with hash `blockHash`, and verifies the block's bytes against this hash. */
export async function fetchRawBlock(
  calls: CoreCalls,
  blockHash: string,
  hasAuxPow: boolean,
  signal: AbortSignal,
): Promise<RawBlock> {
  // Dogecoin Core accepts only a boolean as verbosity; the other nodes accept false in place of 0.
  const hex = textOf(await calls.result(call('getblock', blockHash, false), signal), 'block')
  return readRawBlock(hex, blockHash, hasAuxPow)
}
