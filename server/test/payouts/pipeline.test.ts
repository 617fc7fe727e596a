import { expect, it } from 'vitest'
import { usePayoutFlow } from '../support/payout-flow.ts'

const flow = usePayoutFlow()

it('pays a coin and a token to whom it was approved for, once, and books what the network took', async () => {
  const coin = await flow.pay({ netMinor: 5n })
  const token = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 7n })
  const machine = await flow.machine()
  await machine.settle()
  expect((await flow.wish(coin.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  await flow.mine()
  await machine.settle()
  expect((await flow.wish(token.id)).moves).toEqual(['planned', 'signed', 'broadcast', 'included'])
  await flow.mine(3)
  await machine.settle()
  for (const { id } of [coin, token]) {
    const { moves, isSuccess } = await flow.wish(id)
    expect(moves).toEqual(['planned', 'signed', 'broadcast', 'included', 'final'])
    expect(isSuccess).toBe(true)
  }
  expect(await flow.held(coin.address)).toBe(5n)
  expect(await flow.held(token.address, flow.usdt)).toBe(7n)
  expect(flow.alerts).toEqual([])
})
