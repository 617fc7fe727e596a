import { expect, it } from 'vitest'
import {
  coin,
  type Harness,
  headHeight,
  mineActs,
  needContracts,
  paidTo,
  readBlock,
  severalPayments,
} from './harness.ts'

export function promisesOfTransfers(harness: Harness): void {
  it('tells a coin transfer with recipient and amount', async () => {
    const to = harness().newAddress()
    const [paid] = await mineActs(harness(), [{ type: 'coin', to, amountMinor: 5n }])
    expect(await paidTo(harness(), to)).toMatchObject([
      { txHash: paid?.txHash, asset: coin, recipient: to, amountMinor: 5n },
    ])
  })

  it('tells coin and token transfers with sender, recipient and amount', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    const [first, second] = await mineActs(harness(), [
      { type: 'coin', to, amountMinor: 1n },
      { type: 'token', contract: harness().token, to, amountMinor: 2n },
    ])
    const token = { type: 'token', contract: harness().token }
    expect(await paidTo(harness(), to)).toMatchObject([
      { txHash: first?.txHash, asset: coin, recipient: to, amountMinor: 1n },
      { txHash: second?.txHash, asset: token, recipient: to, amountMinor: 2n },
    ])
  })

  it('A11 tells who signed a transaction where a contract is the sender, and nobody else otherwise', async ({
    skip,
  }) => {
    needContracts(harness(), skip)
    if (harness().reader.traits.hasOutpoints) skip('its traits say that there are outpoints')
    const to = harness().newAddress()
    const payments = [{ to, amountMinor: 3n }]
    const { seesInternalTransfers } = harness().reader.traits
    await mineActs(harness(), [
      { type: 'coin', to, amountMinor: 1n },
      { type: 'token', contract: harness().token, to, amountMinor: 2n },
      { type: 'tokens', contract: harness().token, payments },
      ...(seesInternalTransfers ? [{ type: 'inner', payments } as const] : []),
    ])
    const [coinPaid, tokenPaid, ...byContract] = await paidTo(harness(), to)
    for (const plain of [coinPaid, tokenPaid]) expect(plain).not.toHaveProperty('origin')
    expect(byContract).toHaveLength(seesInternalTransfers ? 2 : 1)
    for (const { origin, sender } of byContract) {
      expect(origin).toMatch(/^0x[0-9a-f]{40}$/)
      expect(origin).not.toBe(sender)
    }
  })

  it('tells large amounts to the last digit', async () => {
    const to = harness().newAddress()
    const { reader, token: contract, largeMinor: amountMinor } = harness()
    const { hasContracts } = reader.traits
    await mineActs(harness(), [
      { type: 'coin', to, amountMinor },
      ...(hasContracts ? [{ type: 'token', contract, to, amountMinor } as const] : []),
    ])
    const reported = (await paidTo(harness(), to)).map((transfer) => transfer.amountMinor)
    expect(reported).toEqual(hasContracts ? [amountMinor, amountMinor] : [amountMinor])
  })

  it('gives each transfer of one transaction a key of its own', async () => {
    const to = harness().newAddress()
    const payments = [1n, 2n, 2n].map((amountMinor) => ({ to, amountMinor }))
    await mineActs(harness(), [severalPayments(harness(), payments)])
    const transfers = await paidTo(harness(), to)
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual([1n, 2n, 2n])
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(3)
  })

  it('tells a token with a famous name under its own contract', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    await mineActs(harness(), [{ type: 'token', contract: harness().lookAlike, to, amountMinor: 1_000_000n }])
    const contracts = (await paidTo(harness(), to)).map(({ asset }) => asset)
    expect(contracts).toEqual([{ type: 'token', contract: harness().lookAlike }])
  })
}

export function promisesOfInternalTransfers(harness: Harness): void {
  it.for(['constructor', 'selfdestruct'] as const)('tells a coin moved by a %s', async (type, { skip }) => {
    needContracts(harness(), skip)
    if (!harness().reader.traits.seesInternalTransfers)
      skip('its traits say that it sees no internal transfers')
    const to = harness().newAddress()
    await mineActs(harness(), [{ type, to, amountMinor: 7n }])
    expect(await paidTo(harness(), to)).toMatchObject([{ asset: coin, amountMinor: 7n }])
  })

  it('tells coins moved by inner calls where its traits say so, and none where they say not', async ({
    skip,
  }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    const other = harness().newAddress()
    const payments = [to, other, to].map((recipient, index) => ({
      to: recipient,
      amountMinor: BigInt(index + 1),
    }))
    await mineActs(harness(), [{ type: 'inner', payments }])
    const transfers = await paidTo(harness(), to)
    const expected = harness().reader.traits.seesInternalTransfers ? [1n, 3n] : []
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual(expected)
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(expected.length)
  })
}

export function promisesOfNothing(harness: Harness): void {
  it('tells nothing of a failed transaction', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    await mineActs(harness(), [
      { type: 'failing-token', contract: harness().token, to, amountMinor: 5n },
      { type: 'failing-coin', to, amountMinor: 5n },
    ])
    const { transfers } = await readBlock(harness(), await headHeight(harness()))
    expect(transfers).toEqual([])
  })

  it('tells nothing of an inner call that was undone in a transaction that succeeded', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    await mineActs(harness(), [{ type: 'undone-inner', to, amountMinor: 5n }])
    expect(await paidTo(harness(), to)).toEqual([])
  })

  it('tells nothing of transfers of zero', async () => {
    const to = harness().newAddress()
    const { reader, token: contract } = harness()
    await mineActs(harness(), [
      { type: 'coin', to, amountMinor: 0n },
      ...(reader.traits.hasContracts ? [{ type: 'token', contract, to, amountMinor: 0n } as const] : []),
    ])
    expect(await paidTo(harness(), to)).toEqual([])
  })

  it('tells nothing of a token that answers false instead of moving', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    await mineActs(harness(), [{ type: 'token', contract: harness().silentToken, to, amountMinor: 5n }])
    expect(await paidTo(harness(), to)).toEqual([])
  })
}
