import { expect, it } from 'vitest'
import type { Spend, TransferAsset } from '../port.ts'
import { balanceOf, type SenderWorld, settle } from './sender-world.ts'
import { coin, never, type World } from './world.ts'

type Gathering = Extract<Spend, { readonly type: 'gather' }>

async function deployFor(world: SenderWorld, lanes: readonly string[]): Promise<string> {
  await settle(world, lanes[0] ?? '', { type: 'deploy', lanes })
  return world.delegateOf(lanes)
}

/** Estimated, sent and mined. */
async function gather(world: SenderWorld, lane: string, spend: Gathering) {
  const estimate = await world.sender.estimateGas(lane, spend, never)
  const [nonce = 0] = await world.sender.readNonces([lane], undefined, never)
  return settle(world, lane, spend, { nonce, gas: 'gas' in estimate ? estimate.gas : 0n })
}

export function promisesOfGatherings(world: World<SenderWorld>): void {
  it('move all that fresh addresses hold, and again without delegating them anew', async () => {
    const lane = await world().wallet()
    const deposit = await world().wallet({ coinMinor: 7n, tokenMinor: 5n })
    const other = await world().wallet({ coinMinor: 0n, tokenMinor: 6n })
    const token: TransferAsset = { type: 'token', contract: world().token }
    expect(await world().sender.hasCode(world().delegateOf([lane]), never)).toBe(false)
    const delegate = await deployFor(world(), [lane])
    expect(await world().sender.hasCode(delegate, never)).toBe(true)
    const addresses = [deposit, other]
    expect(await world().sender.readDelegates(addresses, never)).toEqual([undefined, undefined])
    const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
    const spend: Gathering = { type: 'gather', delegate, addresses, assets: [token, coin], delegations }
    const receipt = await gather(world(), lane, spend)
    expect(receipt.isSuccess).toBe(true)
    expect(await world().sender.readDelegates(addresses, never)).toEqual([delegate, delegate])
    expect(await world().sender.readNonces(addresses, undefined, never)).toEqual([1, 1])
    expect(await balanceOf(world(), token, lane)).toBe(11n)
    for (const address of addresses)
      for (const asset of [token, coin]) expect(await balanceOf(world(), asset, address)).toBe(0n)
    const facts = await world().reader.readBlock(receipt.height, never)
    const moved = facts?.transfers.map(({ sender, recipient, amountMinor }) => [
      sender,
      recipient,
      amountMinor,
    ])
    expect(moved).toEqual(
      expect.arrayContaining([
        [deposit, lane, 5n],
        [deposit, lane, 7n],
        [other, lane, 6n],
      ]),
    )
    expect(moved).toHaveLength(3)
    expect((await gather(world(), lane, { ...spend, delegations: [] })).isSuccess).toBe(true)
  })

  it('move nothing for a wallet that is no lane of the contract, which an estimate says before', async () => {
    const lane = await world().wallet()
    const stranger = await world().wallet()
    const deposit = await world().wallet({ coinMinor: 7n })
    const delegate = await deployFor(world(), [lane])
    const delegations = [{ address: deposit, delegate, nonce: 0 }]
    const spend: Gathering = { type: 'gather', delegate, addresses: [deposit], assets: [coin], delegations }
    expect(await world().sender.estimateGas(stranger, spend, never)).toHaveProperty('fault')
    expect(await settle(world(), stranger, spend)).toMatchObject({ isSuccess: false })
    expect(await balanceOf(world(), coin, deposit)).toBe(7n)
  })

  it('pass over an address whose delegation does not hold', async () => {
    const lane = await world().wallet()
    const deposit = await world().wallet({ coinMinor: 7n })
    const delegate = await deployFor(world(), [lane])
    const delegations = [{ address: deposit, delegate, nonce: 3 }]
    const spend: Gathering = { type: 'gather', delegate, addresses: [deposit], assets: [coin], delegations }
    expect(await settle(world(), lane, spend, { nonce: 1 })).toMatchObject({ isSuccess: true })
    expect(await world().sender.readDelegates([deposit], never)).toEqual([undefined])
    expect(await balanceOf(world(), coin, deposit)).toBe(7n)
  })
}
