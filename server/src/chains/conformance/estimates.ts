import { expect, it } from 'vitest'
import { pay, type SenderWorld, settle } from './sender-world.ts'
import { coin, never, type World } from './world.ts'

export function promisesOfEstimates(world: World<SenderWorld>): void {
  it('are enough for what they estimate, in coins and in tokens', async () => {
    const wallet = await world().wallet({ tokenMinor: 5n })
    const to = world().newAddress()
    const token = { type: 'token', contract: world().token } as const
    for (const [nonce, asset] of [coin, token].entries()) {
      const spend = pay(asset, to, 5n)
      const estimate = await world().sender.estimateGas(wallet, spend, never)
      const gas = 'gas' in estimate ? estimate.gas : 0n
      expect(gas).toBeGreaterThanOrEqual(21_000n)
      expect(await settle(world(), wallet, spend, { nonce, gas })).toMatchObject({ isSuccess: true })
    }
  })

  it('say that a payment would fail, without a word on the coins of its sender', async () => {
    const wallet = await world().wallet({ coinMinor: 0n, tokenMinor: 5n })
    const to = world().newAddress()
    const token = { type: 'token', contract: world().token } as const
    const estimate = (amountMinor: bigint) =>
      world().sender.estimateGas(wallet, pay(token, to, amountMinor), never)
    expect(await estimate(6n)).toHaveProperty('fault')
    expect(await estimate(5n)).toHaveProperty('gas')
    expect(await world().sender.estimateGas(wallet, pay(coin, to, 5n), never)).toHaveProperty('gas')
  })

  it('come with fees that get a transaction mined', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const { baseFeeMinor, tipMinor } = await world().sender.readFees(never)
    expect(baseFeeMinor).toBeGreaterThan(0n)
    const fees = { tipMinor, maxFeeMinor: baseFeeMinor + tipMinor }
    expect(await settle(world(), wallet, pay(coin, to, 1n), fees)).toMatchObject({ isSuccess: true })
  })
}
