import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { NodeError } from '../port.ts'
import { readRawTransaction } from '../utxo/encoding/raw-block.ts'
import type { SpentOutput } from '../utxo/utxo-port.ts'
import { type Harness, never } from './harness.ts'
import { plainFeeMinor, spendUtxo, type UtxoSenderHarness } from './utxo-sender-harness.ts'

export function promisesOfSpentOutputs(harness: Harness<UtxoSenderHarness>): void {
  const find = (outpoint: string, from: number, to: number) =>
    harness().sender.findSpent(outpoint, { from, to }, never)

  it('are shown with the transaction and its block, once that is mined', async () => {
    const { outpoint, ...utxo } = await harness().newUtxo()
    const start = await harness().mine()
    const { txHash } = await spendUtxo(harness(), { outpoint, ...utxo })
    expect(await find(outpoint, start, start)).toBeUndefined()
    const height = await harness().mine()
    const spent = await find(outpoint, start, height)
    expect(spent).toEqual({ height, txHash, blockHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await harness().mine()
    expect(await find(outpoint, start, height + 1)).toEqual(spent)
  })

  it('are shown in blocks of the span alone', async () => {
    const utxo = await harness().newUtxo()
    const start = await harness().mine()
    await spendUtxo(harness(), utxo)
    const height = await harness().mine()
    await harness().mine()
    expect(await find(utxo.outpoint, start, height - 1)).toBeUndefined()
    expect(await find(utxo.outpoint, height + 1, height + 1)).toBeUndefined()
    expect(await find(utxo.outpoint, height, height)).toMatchObject({ height })
  })

  it('are found whoever spent them, though the transaction that we know waits', async () => {
    const utxo = await harness().newUtxo()
    const start = await harness().mine()
    const own = await spendUtxo(harness(), utxo)
    const theirs = harness().spend(utxo, plainFeeMinor - 1_000n)
    const height = await harness().mineOnly(theirs.raw)
    expect(await find(utxo.outpoint, start, height)).toMatchObject({ txHash: theirs.txHash })
    expect(await harness().sender.broadcast(own.raw, never)).toMatchObject({ why: 'missing-inputs' })
  })

  it('are unspent again when the block is gone, and found in the one that comes', async () => {
    const utxo = await harness().newUtxo()
    const start = await harness().mine()
    const { txHash } = await spendUtxo(harness(), utxo)
    const before = await harness().mine()
    expect(await find(utxo.outpoint, start, before)).toMatchObject({ txHash, height: before })
    await harness().rollback(1)
    expect(await find(utxo.outpoint, start, before)).toBeUndefined()
    expect(await harness().sender.findWaitingSpender(utxo.outpoint, never)).toBe(txHash)
    const rival = harness().spend(utxo, plainFeeMinor + 1_000n)
    const after = await harness().mineOnly(rival.raw)
    expect(await find(utxo.outpoint, start, after)).toMatchObject({ txHash: rival.txHash, height: after })
  })

  it('have a spender that waits until it is mined', async () => {
    const utxo = await harness().newUtxo()
    expect(await harness().sender.findWaitingSpender(utxo.outpoint, never)).toBeUndefined()
    const { txHash } = await spendUtxo(harness(), utxo)
    expect(await harness().sender.findWaitingSpender(utxo.outpoint, never)).toBe(txHash)
    await harness().mine()
    expect(await harness().sender.findWaitingSpender(utxo.outpoint, never)).toBeUndefined()
  })

  it('are shown by the transactions that made them, whole and without witnesses, from the block that holds these', async () => {
    const { txHash, change } = await spendUtxo(harness(), await harness().newUtxo())
    const utxo = await harness().newUtxo()
    const other = await spendUtxo(harness(), utxo)
    const height = await harness().mine()
    const spender = await spendUtxo(harness(), change)
    const next = await harness().mine()
    const spent = await find(change.outpoint, height, next)
    const blockHash = (at: SpentOutput | undefined) => required(at, 'where it was spent').blockHash
    const previousTransactions = await harness().sender.readPreviousTransactions(
      blockHash(spent),
      [spender.txHash, txHash],
      never,
    )
    expect([...previousTransactions.keys()]).toEqual([spender.txHash])
    const before = await find(utxo.outpoint, 0, height)
    const made = await harness().sender.readPreviousTransactions(
      blockHash(before),
      [txHash, other.txHash],
      never,
    )
    for (const [id, raw] of [...made, ...previousTransactions]) {
      const { txid, chunks } = readRawTransaction(raw)
      expect([txid, Buffer.concat(chunks).toString('hex')]).toEqual([id, raw])
    }
    expect(made.size).toBe(2)
    await expect(harness().sender.readPreviousTransactions('ab'.repeat(32), [txHash], never)).rejects.toThrow(
      NodeError,
    )
  })

  it('that there never were are not spent', async () => {
    const absent = `${'ef'.repeat(32)}:1`
    expect(await find(absent, 0, await harness().mine())).toBeUndefined()
    expect(await harness().sender.findWaitingSpender(absent, never)).toBeUndefined()
  })
}
