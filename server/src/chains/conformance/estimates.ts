import { expect, it } from 'vitest'
import { coin, type Harness, never } from './harness.ts'
import { pay, type SenderHarness, settle } from './sender-harness.ts'

export function promisesOfEstimates(harness: Harness<SenderHarness>): void {
  it('are enough for what they estimate, in coins and in tokens', async () => {
    const wallet = await harness().wallet({ tokenMinor: 5n })
    const to = harness().newAddress()
    const token = { type: 'token', contract: harness().token } as const
    for (const [nonce, asset] of [coin, token].entries()) {
      const spend = pay(asset, to, 5n)
      const estimate = await harness().sender.estimateGas(wallet, spend, never)
      const gas = 'gas' in estimate ? estimate.gas : 0n
      expect(gas).toBeGreaterThanOrEqual(21_000n)
      expect(await settle(harness(), wallet, spend, { nonce, gasLimit: gas })).toMatchObject({
        isSuccess: true,
      })
    }
  })

  it('say that a payment would fail, without a word on the coins of its sender', async () => {
    const wallet = await harness().wallet({ coinMinor: 0n, tokenMinor: 5n })
    const to = harness().newAddress()
    const token = { type: 'token', contract: harness().token } as const
    const estimate = (amountMinor: bigint) =>
      harness().sender.estimateGas(wallet, pay(token, to, amountMinor), never)
    expect(await estimate(6n)).toHaveProperty('error')
    expect(await estimate(5n)).toHaveProperty('gas')
    expect(await harness().sender.estimateGas(wallet, pay(coin, to, 5n), never)).toHaveProperty('gas')
  })

  it('come with fees that get a transaction mined', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const { baseFeePerGas, maxPriorityFeePerGas } = await harness().sender.readFees(never)
    expect(baseFeePerGas).toBeGreaterThan(0n)
    const fees = { maxPriorityFeePerGas, maxFeePerGas: baseFeePerGas + maxPriorityFeePerGas }
    expect(await settle(harness(), wallet, pay(coin, to, 1n), fees)).toMatchObject({ isSuccess: true })
  })
}
