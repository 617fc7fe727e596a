import { describe, expect, it } from 'vitest'
import { silentLog } from '../../core/log.ts'
import { type AccountSender, NodeError } from '../port.ts'
import { openQuorumSender } from './sender.ts'

const never = new AbortController().signal

/** Returns the price of gas that nodes of a network without base fees state together. */
async function priceOf(...prices: readonly (bigint | Error)[]): Promise<bigint> {
  const senders = prices.map((price) => {
    const readFees = async () => {
      if (price instanceof Error) throw price
      return { baseFeePerGas: 0n, maxPriorityFeePerGas: price }
    }
    return { readFees } as Partial<AccountSender> as AccountSender
  })
  const sender = openQuorumSender(senders, silentLog, { paysWholePrice: true })
  return (await sender.readFees(never)).maxPriorityFeePerGas
}

describe('the price of gas, all of which is paid,', () => {
  it.each<[string, bigint, readonly bigint[]]>([
    ['of one node is its own', 7n, [7n]],
    ['of two nodes is the lower one', 3n, [9n, 3n]],
    ['of three nodes is the middle one', 4n, [10n ** 30n, 3n, 4n]],
    ['of three nodes is not set by one that states little', 4n, [0n, 4n, 5n]],
    ['of four nodes is the lower middle one', 4n, [9n, 5n, 4n, 1n]],
  ])('%s', async (_, expected, prices) => {
    expect(await priceOf(...prices)).toBe(expected)
  })

  it('is that of the nodes that answer', async () => {
    expect(await priceOf(new NodeError('away'), 9n, 3n)).toBe(3n)
    await expect(priceOf(new NodeError('first'), new NodeError('second'))).rejects.toThrow('first')
    await expect(priceOf(5n, new TypeError('a fault'))).rejects.toThrow(TypeError)
  })
})
