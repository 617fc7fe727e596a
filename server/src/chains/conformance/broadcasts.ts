import { expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import { coin, type Harness, never } from './harness.ts'
import {
  balanceOf,
  pay,
  plentyMinor,
  receiptOf,
  type SenderHarness,
  sendAs,
  transactionOf,
} from './sender-harness.ts'

export function promisesOfBroadcasts(harness: Harness<SenderHarness>): void {
  it('takes the same bytes as often as they come: new, waiting and mined', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const { raw } = await sendAs(harness(), wallet, pay(coin, to, 5n))
    expect(await harness().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await harness().mine()
    expect(await harness().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await harness().mine()
    expect(await balanceOf(harness(), coin, to)).toBe(5n)
  })

  it('says that a nonce is used when another transaction of that nonce is mined', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    await sendAs(harness(), wallet, pay(coin, to, 1n))
    await harness().mine()
    const second = await harness().sign(wallet, transactionOf(harness(), pay(coin, to, 2n)))
    expect(await harness().sender.broadcast(second.raw, never)).toMatchObject({ why: 'nonce-used' })
    await harness().mine()
    expect(await balanceOf(harness(), coin, to)).toBe(1n)
    expect(await receiptOf(harness(), second.txHash)).toBeUndefined()
  })

  it('replaces what waits by what offers enough more, refuses what offers less, and mines one of them', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const first = await sendAs(harness(), wallet, pay(coin, to, 1n))
    const fees = { maxFeePerGas: 113n * 10n ** 9n, maxPriorityFeePerGas: 1_130_000_000n }
    const lesser = await harness().sign(
      wallet,
      transactionOf(harness(), pay(coin, to, 1n), { maxFeePerGas: 99n * 10n ** 9n }),
    )
    expect(await harness().sender.broadcast(lesser.raw, never)).toMatchObject({ why: 'underpriced' })
    const second = await sendAs(harness(), wallet, pay(coin, to, 1n), fees)
    await harness().mine()
    expect(await receiptOf(harness(), first.txHash)).toBeUndefined()
    expect(await receiptOf(harness(), second.txHash)).toMatchObject({ isSuccess: true })
    expect(await balanceOf(harness(), coin, to)).toBe(1n)
  })

  it('refuses what its sender cannot pay for', async () => {
    const wallet = await harness().wallet({ coinMinor: 10n ** 15n })
    const to = harness().newAddress()
    const { raw } = await harness().sign(wallet, transactionOf(harness(), pay(coin, to, plentyMinor)))
    expect(await harness().sender.broadcast(raw, never)).toMatchObject({ type: 'refused', why: 'no-funds' })
  })

  it('keeps what comes after a gap of nonces, and mines it once the gap is filled', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const later = await sendAs(harness(), wallet, pay(coin, to, 2n), { nonce: 1 })
    await harness().mine()
    expect(await receiptOf(harness(), later.txHash)).toBeUndefined()
    expect(await harness().sender.readNonces([wallet], undefined, never)).toEqual([0])
    await sendAs(harness(), wallet, pay(coin, to, 1n), { nonce: 0 })
    await harness().mine()
    expect(await receiptOf(harness(), later.txHash)).toMatchObject({ isSuccess: true })
    expect(await balanceOf(harness(), coin, to)).toBe(3n)
  })

  it("refuses bytes that are no transaction, or another chain's", async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const changes = { chainId: harness().chainId + 1 }
    const { raw } = await harness().sign(wallet, transactionOf(harness(), pay(coin, to, 1n), changes))
    for (const bytes of [raw, 'c0', raw.slice(0, -2)])
      expect(await harness().sender.broadcast(bytes, never)).toMatchObject({ type: 'refused', why: 'other' })
  })

  it('gives up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(harness().sender.broadcast('00', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(reason).not.toBeInstanceOf(NodeError)
  })
}
