import { expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import {
  balanceOf,
  pay,
  plentyMinor,
  receiptOf,
  type SenderWorld,
  sendAs,
  transactionOf,
} from './sender-world.ts'
import { coin, never, type World } from './world.ts'

export function promisesOfBroadcasts(world: World<SenderWorld>): void {
  it('takes the same bytes as often as they come: new, waiting and mined', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const { raw } = await sendAs(world(), wallet, pay(coin, to, 5n))
    expect(await world().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await world().mine()
    expect(await world().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await world().mine()
    expect(await balanceOf(world(), coin, to)).toBe(5n)
  })

  it('says that a nonce is used when another transaction of that nonce is mined', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    await sendAs(world(), wallet, pay(coin, to, 1n))
    await world().mine()
    const second = await world().sign(wallet, transactionOf(world(), pay(coin, to, 2n)))
    expect(await world().sender.broadcast(second.raw, never)).toMatchObject({ why: 'nonce-used' })
    await world().mine()
    expect(await balanceOf(world(), coin, to)).toBe(1n)
    expect(await receiptOf(world(), second.txHash)).toBeUndefined()
  })

  it('replaces what waits by what offers enough more, refuses what offers less, and mines one of them', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const first = await sendAs(world(), wallet, pay(coin, to, 1n))
    const fees = { maxFeeMinor: 113n * 10n ** 9n, tipMinor: 1_130_000_000n }
    const lesser = await world().sign(
      wallet,
      transactionOf(world(), pay(coin, to, 1n), { maxFeeMinor: 99n * 10n ** 9n }),
    )
    expect(await world().sender.broadcast(lesser.raw, never)).toMatchObject({ why: 'underpriced' })
    const second = await sendAs(world(), wallet, pay(coin, to, 1n), fees)
    await world().mine()
    expect(await receiptOf(world(), first.txHash)).toBeUndefined()
    expect(await receiptOf(world(), second.txHash)).toMatchObject({ isSuccess: true })
    expect(await balanceOf(world(), coin, to)).toBe(1n)
  })

  it('refuses what its sender cannot pay for', async () => {
    const wallet = await world().wallet({ coinMinor: 10n ** 15n })
    const to = world().newAddress()
    const { raw } = await world().sign(wallet, transactionOf(world(), pay(coin, to, plentyMinor)))
    expect(await world().sender.broadcast(raw, never)).toMatchObject({ type: 'refused', why: 'no-funds' })
  })

  it('keeps what comes after a gap of nonces, and mines it once the gap is filled', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const later = await sendAs(world(), wallet, pay(coin, to, 2n), { nonce: 1 })
    await world().mine()
    expect(await receiptOf(world(), later.txHash)).toBeUndefined()
    expect(await world().sender.readNonces([wallet], undefined, never)).toEqual([0])
    await sendAs(world(), wallet, pay(coin, to, 1n), { nonce: 0 })
    await world().mine()
    expect(await receiptOf(world(), later.txHash)).toMatchObject({ isSuccess: true })
    expect(await balanceOf(world(), coin, to)).toBe(3n)
  })

  it("refuses bytes that are no transaction, or another chain's", async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const changes = { chainId: world().chainId + 1 }
    const { raw } = await world().sign(wallet, transactionOf(world(), pay(coin, to, 1n), changes))
    for (const bytes of [raw, 'c0', raw.slice(0, -2)])
      expect(await world().sender.broadcast(bytes, never)).toMatchObject({ type: 'refused', why: 'other' })
  })

  it('gives up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(world().sender.broadcast('00', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(reason).not.toBeInstanceOf(NodeError)
  })
}
