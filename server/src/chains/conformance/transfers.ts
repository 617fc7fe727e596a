import { expect, it } from 'vitest'
import {
  coin,
  headHeight,
  mineActs,
  needContracts,
  paidTo,
  readBlock,
  severalPayments,
  type World,
} from './world.ts'

export function promisesOfTransfers(world: World): void {
  it('tells a coin transfer with recipient and amount', async () => {
    const to = world().newAddress()
    const [paid] = await mineActs(world(), [{ type: 'coin', to, amountMinor: 5n }])
    expect(await paidTo(world(), to)).toMatchObject([
      { txHash: paid?.txHash, asset: coin, recipient: to, amountMinor: 5n },
    ])
  })

  it('tells coin and token transfers with sender, recipient and amount', async ({ skip }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    const [first, second] = await mineActs(world(), [
      { type: 'coin', to, amountMinor: 1n },
      { type: 'token', contract: world().token, to, amountMinor: 2n },
    ])
    const token = { type: 'token', contract: world().token }
    expect(await paidTo(world(), to)).toMatchObject([
      { txHash: first?.txHash, asset: coin, recipient: to, amountMinor: 1n },
      { txHash: second?.txHash, asset: token, recipient: to, amountMinor: 2n },
    ])
  })

  it('A11 tells who signed a transaction where a contract is the sender, and nobody else otherwise', async ({
    skip,
  }) => {
    needContracts(world(), skip)
    if (world().reader.traits.hasOutpoints) skip('its traits say that there are outpoints')
    const to = world().newAddress()
    const payments = [{ to, amountMinor: 3n }]
    const { seesInternalTransfers } = world().reader.traits
    await mineActs(world(), [
      { type: 'coin', to, amountMinor: 1n },
      { type: 'token', contract: world().token, to, amountMinor: 2n },
      { type: 'tokens', contract: world().token, payments },
      ...(seesInternalTransfers ? [{ type: 'inner', payments } as const] : []),
    ])
    const [coinPaid, tokenPaid, ...byContract] = await paidTo(world(), to)
    for (const plain of [coinPaid, tokenPaid]) expect(plain).not.toHaveProperty('origin')
    expect(byContract).toHaveLength(seesInternalTransfers ? 2 : 1)
    for (const { origin, sender } of byContract) {
      expect(origin).toMatch(/^0x[0-9a-f]{40}$/)
      expect(origin).not.toBe(sender)
    }
  })

  it('tells large amounts to the last digit', async () => {
    const to = world().newAddress()
    const { reader, token: contract, largeMinor: amountMinor } = world()
    const { hasContracts } = reader.traits
    await mineActs(world(), [
      { type: 'coin', to, amountMinor },
      ...(hasContracts ? [{ type: 'token', contract, to, amountMinor } as const] : []),
    ])
    const told = (await paidTo(world(), to)).map((transfer) => transfer.amountMinor)
    expect(told).toEqual(hasContracts ? [amountMinor, amountMinor] : [amountMinor])
  })

  it('gives each transfer of one transaction a key of its own', async () => {
    const to = world().newAddress()
    const payments = [1n, 2n, 2n].map((amountMinor) => ({ to, amountMinor }))
    await mineActs(world(), [severalPayments(world(), payments)])
    const transfers = await paidTo(world(), to)
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual([1n, 2n, 2n])
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(3)
  })

  it('tells a token with a famous name under its own contract', async ({ skip }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'token', contract: world().lookAlike, to, amountMinor: 1_000_000n }])
    const contracts = (await paidTo(world(), to)).map(({ asset }) => asset)
    expect(contracts).toEqual([{ type: 'token', contract: world().lookAlike }])
  })
}

export function promisesOfInternalTransfers(world: World): void {
  it.for(['constructor', 'selfdestruct'] as const)('tells a coin moved by a %s', async (type, { skip }) => {
    needContracts(world(), skip)
    if (!world().reader.traits.seesInternalTransfers)
      skip('its traits say that it sees no internal transfers')
    const to = world().newAddress()
    await mineActs(world(), [{ type, to, amountMinor: 7n }])
    expect(await paidTo(world(), to)).toMatchObject([{ asset: coin, amountMinor: 7n }])
  })

  it('tells coins moved by inner calls where its traits say so, and none where they say not', async ({
    skip,
  }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    const other = world().newAddress()
    const payments = [to, other, to].map((recipient, index) => ({
      to: recipient,
      amountMinor: BigInt(index + 1),
    }))
    await mineActs(world(), [{ type: 'inner', payments }])
    const transfers = await paidTo(world(), to)
    const expected = world().reader.traits.seesInternalTransfers ? [1n, 3n] : []
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual(expected)
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(expected.length)
  })
}

export function promisesOfNothing(world: World): void {
  it('tells nothing of a failed transaction', async ({ skip }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    await mineActs(world(), [
      { type: 'failing-token', contract: world().token, to, amountMinor: 5n },
      { type: 'failing-coin', to, amountMinor: 5n },
    ])
    const { transfers } = await readBlock(world(), await headHeight(world()))
    expect(transfers).toEqual([])
  })

  it('tells nothing of an inner call that was undone in a transaction that succeeded', async ({ skip }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'undone-inner', to, amountMinor: 5n }])
    expect(await paidTo(world(), to)).toEqual([])
  })

  it('tells nothing of transfers of zero', async () => {
    const to = world().newAddress()
    const { reader, token: contract } = world()
    await mineActs(world(), [
      { type: 'coin', to, amountMinor: 0n },
      ...(reader.traits.hasContracts ? [{ type: 'token', contract, to, amountMinor: 0n } as const] : []),
    ])
    expect(await paidTo(world(), to)).toEqual([])
  })

  it('tells nothing of a token that answers false instead of moving', async ({ skip }) => {
    needContracts(world(), skip)
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'token', contract: world().silentToken, to, amountMinor: 5n }])
    expect(await paidTo(world(), to)).toEqual([])
  })
}
