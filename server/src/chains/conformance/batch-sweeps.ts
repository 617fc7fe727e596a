import { expect, it } from 'vitest'
import type { Spend, TransferAsset } from '../port.ts'
import { coin, type Harness, never } from './harness.ts'
import { balanceOf, type SenderHarness, settle } from './sender-harness.ts'

type BatchSweep = Extract<Spend, { readonly type: 'sweep' }>

async function deployFor(harness: SenderHarness, hotWallets: readonly string[]): Promise<string> {
  await settle(harness, hotWallets[0] ?? '', { type: 'deploy', hotWallets })
  return harness.delegateOf(hotWallets)
}

/** Estimates the gas of a sweep, sends the sweep and mines it. */
async function sweep(harness: SenderHarness, hotWallet: string, spend: BatchSweep) {
  const estimate = await harness.sender.estimateGas(hotWallet, spend, never)
  const [nonce = 0] = await harness.sender.readNonces([hotWallet], undefined, never)
  return settle(harness, hotWallet, spend, { nonce, gasLimit: 'gas' in estimate ? estimate.gas : 0n })
}

export function promisesOfBatchSweeps(harness: Harness<SenderHarness>): void {
  it('move all that fresh addresses hold, and again without delegating them anew', async () => {
    const hotWallet = await harness().wallet()
    const deposit = await harness().wallet({ coinMinor: 7n, tokenMinor: 5n })
    const other = await harness().wallet({ coinMinor: 0n, tokenMinor: 6n })
    const token: TransferAsset = { type: 'token', contract: harness().token }
    expect(await harness().sender.hasCode(harness().delegateOf([hotWallet]), never)).toBe(false)
    const delegate = await deployFor(harness(), [hotWallet])
    expect(await harness().sender.hasCode(delegate, never)).toBe(true)
    const addresses = [deposit, other]
    expect(await harness().sender.readDelegates(addresses, never)).toEqual([undefined, undefined])
    const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
    const spend: BatchSweep = { type: 'sweep', delegate, addresses, assets: [token, coin], delegations }
    const receipt = await sweep(harness(), hotWallet, spend)
    expect(receipt.isSuccess).toBe(true)
    expect(await harness().sender.readDelegates(addresses, never)).toEqual([delegate, delegate])
    expect(await harness().sender.readNonces(addresses, undefined, never)).toEqual([1, 1])
    expect(await balanceOf(harness(), token, hotWallet)).toBe(11n)
    for (const address of addresses)
      for (const asset of [token, coin]) expect(await balanceOf(harness(), asset, address)).toBe(0n)
    const facts = await harness().reader.readBlock(receipt.height, never)
    const moved = facts?.transfers.map(({ sender, recipient, amountMinor }) => [
      sender,
      recipient,
      amountMinor,
    ])
    expect(moved).toEqual(
      expect.arrayContaining([
        [deposit, hotWallet, 5n],
        [deposit, hotWallet, 7n],
        [other, hotWallet, 6n],
      ]),
    )
    expect(moved).toHaveLength(3)
    expect((await sweep(harness(), hotWallet, { ...spend, delegations: [] })).isSuccess).toBe(true)
  })

  it('move nothing for a wallet that is no lane of the contract, which an estimate says before', async () => {
    const hotWallet = await harness().wallet()
    const stranger = await harness().wallet()
    const deposit = await harness().wallet({ coinMinor: 7n })
    const delegate = await deployFor(harness(), [hotWallet])
    const delegations = [{ address: deposit, delegate, nonce: 0 }]
    const spend: BatchSweep = { type: 'sweep', delegate, addresses: [deposit], assets: [coin], delegations }
    expect(await harness().sender.estimateGas(stranger, spend, never)).toHaveProperty('error')
    expect(await settle(harness(), stranger, spend)).toMatchObject({ isSuccess: false })
    expect(await balanceOf(harness(), coin, deposit)).toBe(7n)
  })

  it('pass over an address whose delegation does not hold', async () => {
    const hotWallet = await harness().wallet()
    const deposit = await harness().wallet({ coinMinor: 7n })
    const delegate = await deployFor(harness(), [hotWallet])
    const delegations = [{ address: deposit, delegate, nonce: 3 }]
    const spend: BatchSweep = { type: 'sweep', delegate, addresses: [deposit], assets: [coin], delegations }
    expect(await settle(harness(), hotWallet, spend, { nonce: 1 })).toMatchObject({ isSuccess: true })
    expect(await harness().sender.readDelegates([deposit], never)).toEqual([undefined])
    expect(await balanceOf(harness(), coin, deposit)).toBe(7n)
  })
}
