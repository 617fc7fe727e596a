import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { NodeError } from '../port.ts'
import type { SpentCoin } from '../utxo/coin-port.ts'
import { readRawTransaction } from '../utxo/encoding/raw-block.ts'
import { type CoinSenderWorld, plainFeeMinor, sendCoin } from './coin-sender-world.ts'
import { never, type World } from './world.ts'

export function promisesOfSpentCoins(world: World<CoinSenderWorld>): void {
  const find = (outpoint: string, from: number, to: number) =>
    world().sender.findSpent(outpoint, { from, to }, never)

  it('are shown with the transaction and its block, once that is mined', async () => {
    const { outpoint, ...coin } = await world().newCoin()
    const start = await world().mine()
    const { txHash } = await sendCoin(world(), { outpoint, ...coin })
    expect(await find(outpoint, start, start)).toBeUndefined()
    const height = await world().mine()
    const spent = await find(outpoint, start, height)
    expect(spent).toEqual({ height, txHash, blockHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await world().mine()
    expect(await find(outpoint, start, height + 1)).toEqual(spent)
  })

  it('are shown in blocks of the span alone', async () => {
    const coin = await world().newCoin()
    const start = await world().mine()
    await sendCoin(world(), coin)
    const height = await world().mine()
    await world().mine()
    expect(await find(coin.outpoint, start, height - 1)).toBeUndefined()
    expect(await find(coin.outpoint, height + 1, height + 1)).toBeUndefined()
    expect(await find(coin.outpoint, height, height)).toMatchObject({ height })
  })

  it('are found whoever spent them, though the transaction that we know waits', async () => {
    const coin = await world().newCoin()
    const start = await world().mine()
    const ours = await sendCoin(world(), coin)
    const theirs = world().spend(coin, plainFeeMinor - 1_000n)
    const height = await world().mineOnly(theirs.raw)
    expect(await find(coin.outpoint, start, height)).toMatchObject({ txHash: theirs.txHash })
    expect(await world().sender.broadcast(ours.raw, never)).toMatchObject({ why: 'coins-gone' })
  })

  it('are unspent again when the block is gone, and found in the one that comes', async () => {
    const coin = await world().newCoin()
    const start = await world().mine()
    const { txHash } = await sendCoin(world(), coin)
    const before = await world().mine()
    expect(await find(coin.outpoint, start, before)).toMatchObject({ txHash, height: before })
    await world().rollback(1)
    expect(await find(coin.outpoint, start, before)).toBeUndefined()
    expect(await world().sender.findWaitingSpender(coin.outpoint, never)).toBe(txHash)
    const rival = world().spend(coin, plainFeeMinor + 1_000n)
    const after = await world().mineOnly(rival.raw)
    expect(await find(coin.outpoint, start, after)).toMatchObject({ txHash: rival.txHash, height: after })
  })

  it('have a spender that waits until it is mined', async () => {
    const coin = await world().newCoin()
    expect(await world().sender.findWaitingSpender(coin.outpoint, never)).toBeUndefined()
    const { txHash } = await sendCoin(world(), coin)
    expect(await world().sender.findWaitingSpender(coin.outpoint, never)).toBe(txHash)
    await world().mine()
    expect(await world().sender.findWaitingSpender(coin.outpoint, never)).toBeUndefined()
  })

  it('are shown by the transactions that made them, whole and without witnesses, from the block that holds these', async () => {
    const { txHash, change } = await sendCoin(world(), await world().newCoin())
    const coin = await world().newCoin()
    const other = await sendCoin(world(), coin)
    const height = await world().mine()
    const spender = await sendCoin(world(), change)
    const next = await world().mine()
    const spent = await find(change.outpoint, height, next)
    const blockHash = (at: SpentCoin | undefined) => required(at, 'where it was spent').blockHash
    const makers = await world().sender.readMakers(blockHash(spent), [spender.txHash, txHash], never)
    expect([...makers.keys()]).toEqual([spender.txHash])
    const before = await find(coin.outpoint, 0, height)
    const made = await world().sender.readMakers(blockHash(before), [txHash, other.txHash], never)
    for (const [id, raw] of [...made, ...makers]) {
      const { txid, pieces } = readRawTransaction(raw)
      expect([txid, Buffer.concat(pieces).toString('hex')]).toEqual([id, raw])
    }
    expect(made.size).toBe(2)
    await expect(world().sender.readMakers('ab'.repeat(32), [txHash], never)).rejects.toThrow(NodeError)
  })

  it('that there never were are not spent', async () => {
    const absent = `${'ef'.repeat(32)}:1`
    expect(await find(absent, 0, await world().mine())).toBeUndefined()
    expect(await world().sender.findWaitingSpender(absent, never)).toBeUndefined()
  })
}
