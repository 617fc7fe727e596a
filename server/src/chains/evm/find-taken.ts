import { call, field, quantity, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import { NodeError, type TakenSlot } from '../port.ts'
import { arrayOf, countOf, hashOf, readHeader } from './answers.ts'

type Ask = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>

/**
 * Returns the block at or below `height` in which a nonce of an address was used, and the transaction that
 * used the nonce. Undefined if the nonce is unused. The search goes back from `height` in growing steps. So a
 * recent block is found without the state of old blocks, which some nodes do not keep.
 */
export async function findTaken(
  ask: Ask,
  address: string,
  nonce: number,
  height: number,
): Promise<TakenSlot | undefined> {
  const isTakenAt = async (at: number) => {
    const [answer] = await ask([call('eth_getTransactionCount', address, quantity(at))])
    return countOf(resultOf(answer, 'eth_getTransactionCount'), 'nonce') > nonce
  }
  if (height < 0 || !(await isTakenAt(height))) return undefined
  let taken = height
  let free = -1
  for (let step = 1; taken > 0; step *= 2) {
    const at = Math.max(0, height - step)
    if (!(await isTakenAt(at))) {
      free = at
      break
    }
    taken = at
  }
  while (taken - free > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (await isTakenAt(middle)) taken = middle
    else free = middle
  }
  return readTakenSlot(ask, address, nonce, taken)
}

async function readTakenSlot(ask: Ask, address: string, nonce: number, height: number): Promise<TakenSlot> {
  const [answer] = await ask([call('eth_getBlockByNumber', quantity(height), true)])
  const reported = resultOf(answer, 'eth_getBlockByNumber')
  const header = readHeader(reported)
  if (header?.block.height !== height) throw new NodeError(`the node has no block ${height}`)
  const own = arrayOf(field(reported, 'transactions'), 'transactions').find(
    (transaction) =>
      String(field(transaction, 'from')).toLowerCase() === address &&
      countOf(field(transaction, 'nonce'), 'nonce') === nonce,
  )
  const txHash = own === undefined ? undefined : hashOf(field(own, 'hash'), 'transaction hash')
  return { height, blockHash: header.block.hash, txHash }
}
