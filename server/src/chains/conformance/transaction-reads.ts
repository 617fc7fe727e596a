import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import { type BlockRef, NodeError } from '../port.ts'
import {
  coin,
  type Harness,
  headHeight,
  mineActs,
  needContracts,
  never,
  type PreparedTransaction,
  readBlock,
} from './harness.ts'

export function promisesOfTransactionReads(harness: Harness): void {
  it('has balances equal to the sum of the transfers', async () => {
    const to = harness().newAddress()
    const first = await headHeight(harness())
    const { reader, token: contract, largeMinor } = harness()
    const token = { type: 'token', contract } as const
    const assets = reader.traits.hasContracts ? [coin, token] : [coin]
    await mineActs(harness(), [
      { type: 'coin', to, amountMinor: 5n },
      ...(reader.traits.hasContracts ? [{ ...token, to, amountMinor: largeMinor }] : []),
    ])
    await mineActs(harness(), [{ type: 'coin', to, amountMinor: 6n }])
    const height = await headHeight(harness())
    const blocks = await Promise.all([first + 1, first + 2].map((at) => readBlock(harness(), at)))
    for (const asset of assets) {
      const reported = blocks
        .flatMap((block) => block.transfers)
        .filter((one) => one.recipient === to && one.asset.type === asset.type)
      const balances = await harness().reader.readBalances(asset, [to, harness().newAddress()], height, never)
      expect(balances).toEqual([sum(reported.map(({ amountMinor }) => amountMinor)), 0n])
    }
  })

  it('reads balances as they were at the height asked for', async () => {
    const to = harness().newAddress()
    await mineActs(harness(), [{ type: 'coin', to, amountMinor: 5n }])
    const height = await headHeight(harness())
    await mineActs(harness(), [{ type: 'coin', to, amountMinor: 6n }])
    expect(await harness().reader.readBalances(coin, [to], height, never)).toEqual([5n])
  })

  it('tells where a transaction stands: unknown, or mined with what it moved', async () => {
    const to = harness().newAddress()
    const paid = await harness().prepare({ type: 'coin', to, amountMinor: 3n })
    const read = (txHash: string) => harness().reader.readTransaction(txHash, never)
    expect(await read(harness().unknownTxHash())).toEqual({ type: 'unknown' })
    const { block, transfers } = await readBlock(harness(), await harness().mine([paid]))
    const made = transfers.filter(({ txHash }) => txHash === paid.txHash)
    expect(made).toMatchObject([{ recipient: to, amountMinor: 3n }])
    expect(await read(paid.txHash)).toEqual({ type: 'mined', block, transfers: made })
    await harness().rollback(1)
    expect(await read(paid.txHash)).not.toMatchObject({ type: 'mined' })
  })

  it('tells that a transaction failed in its block', async ({ skip }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    const contract = harness().lookAlike
    const good = await harness().prepare({ type: 'token', contract, to, amountMinor: 3n })
    const bad = await harness().prepare({
      type: 'failing-token',
      contract: harness().token,
      to,
      amountMinor: 1n,
    })
    const read = ({ txHash }: PreparedTransaction) => harness().reader.readTransaction(txHash, never)
    const height = await harness().mine([good, bad])
    const { block, transfers } = await readBlock(harness(), height)
    expect(await read(bad)).toEqual({ type: 'failed', height })
    const made = transfers.filter(({ txHash }) => txHash === good.txHash)
    expect(made).toMatchObject([{ asset: { type: 'token', contract }, recipient: to, amountMinor: 3n }])
    expect(await read(good)).toEqual({ type: 'mined', block, transfers: made })
    await harness().rollback(1)
    expect(await read(good)).not.toMatchObject({ type: 'mined' })
  })

  it('vouches for transactions of that very block, and for no others', async () => {
    const payments = await Promise.all(
      [1n, 2n].map((amountMinor) =>
        harness().prepare({ type: 'coin', to: harness().newAddress(), amountMinor }),
      ),
    )
    const { block } = await readBlock(harness(), await harness().mine(payments))
    const hashes = payments.map(({ txHash }) => txHash)
    const vouch = (at: BlockRef, txHashes: readonly string[]) =>
      harness().reader.requireSuccess(at, txHashes, never)
    await vouch(block, [])
    await vouch(block, hashes)
    const unknown = harness().unknownTxHash()
    await expect(vouch({ ...block, hash: block.parentHash }, hashes)).rejects.toThrow(NodeError)
    await expect(vouch(block, [...hashes, unknown])).rejects.toThrow(NodeError)
    await harness().rollback(1)
    await expect(vouch(block, hashes)).rejects.toThrow(NodeError)
  })

  it('tells who signed a transaction', async ({ skip }) => {
    const { reader } = harness()
    if (reader.traits.hasOutpoints) skip('its traits say that there are outpoints')
    const readSigners = required(reader.readSigners?.bind(reader), 'its signers')
    const payment = await harness().prepare({ type: 'coin', to: harness().newAddress(), amountMinor: 5n })
    const { transfers } = await readBlock(harness(), await harness().mine([payment]))
    expect(await readSigners([], never)).toEqual([])
    expect(await readSigners([payment.txHash], never)).toEqual(transfers.map(({ sender }) => sender))
    await expect(readSigners([harness().unknownTxHash()], never)).rejects.toThrow(NodeError)
  })

  it('vouches for transactions whose receipts in that very block say success, and for no others', async ({
    skip,
  }) => {
    needContracts(harness(), skip)
    const to = harness().newAddress()
    const contract = harness().token
    const good = await harness().prepare({ type: 'coin', to, amountMinor: 1n })
    const other = await harness().prepare({ type: 'coin', to, amountMinor: 2n })
    const bad = await harness().prepare({ type: 'failing-token', contract, to, amountMinor: 1n })
    const { block } = await readBlock(harness(), await harness().mine([good, other, bad]))
    const vouch = (at: BlockRef, ...transactions: readonly PreparedTransaction[]) =>
      harness().reader.requireSuccess(
        at,
        transactions.map(({ txHash }) => txHash),
        never,
      )
    await vouch(block)
    await vouch(block, good, other)
    await expect(vouch(block, bad)).rejects.toThrow(NodeError)
    await expect(vouch(block, good, bad)).rejects.toThrow(NodeError)
    await expect(vouch({ ...block, hash: block.parentHash }, good)).rejects.toThrow(NodeError)
    await expect(vouch(block, good, { txHash: harness().unknownTxHash() })).rejects.toThrow(NodeError)
  })

  it('tells whom an oracle lists, and clears nobody by an address without a contract', async ({ skip }) => {
    needContracts(harness(), skip)
    const listed = harness().newAddress()
    const other = harness().newAddress()
    const oracle = await harness().sanctionsOracle([listed])
    const reader = required(harness().reader.sanctions, 'the oracles of a chain with contracts')
    expect(await reader.isListed(oracle, [other, listed, other], never)).toEqual([false, true, false])
    expect(await reader.isListed(oracle, [], never)).toEqual([])
    const nothing = reader.isListed(harness().newAddress(), [other], never)
    await expect(nothing).rejects.toThrow(NodeError)
    await expect(nothing).rejects.toThrow('no sanctions oracle')
  })

  it('tells contracts from accounts', async ({ skip }) => {
    needContracts(harness(), skip)
    const contract = await harness().sanctionsOracle([])
    const reader = harness().reader
    expect(await reader.isContract?.(contract, never)).toBe(true)
    expect(await reader.isContract?.(harness().newAddress(), never)).toBe(false)
  })
}
