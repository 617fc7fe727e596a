import { expect, it } from 'vitest'
import { balanceOf, pay, plentyMinor, receiptOf, type SenderWorld, sendAs, settle } from './sender-world.ts'
import { coin, never, type World } from './world.ts'

export function promisesOfReceipts(world: World<SenderWorld>): void {
  it('tell the block and what the sender paid, to the last unit', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const receipt = await settle(world(), wallet, pay(coin, to, 5n))
    const head = await world().reader.readHead(never)
    expect(receipt).toMatchObject({ isSuccess: true, height: head.height, blockHash: head.hash })
    expect(receipt.feeMinor).toBeGreaterThan(0n)
    expect(await balanceOf(world(), coin, wallet)).toBe(plentyMinor - 5n - receipt.feeMinor)
    const facts = await world().reader.readBlock(head.height, never)
    const { txHash } = receipt
    expect(facts?.transfers).toMatchObject([
      { txHash, asset: coin, sender: wallet, recipient: to, amountMinor: 5n },
    ])
  })

  it('say that a transaction was mined and did nothing, which still costs its fee', async () => {
    const wallet = await world().wallet({ tokenMinor: 5n })
    const to = world().newAddress()
    const token = { type: 'token', contract: world().token } as const
    const receipt = await settle(world(), wallet, pay(token, to, 6n))
    expect(receipt.isSuccess).toBe(false)
    expect(await balanceOf(world(), coin, wallet)).toBe(plentyMinor - receipt.feeMinor)
    expect(await balanceOf(world(), token, wallet)).toBe(5n)
    expect(await world().sender.readNonces([wallet], undefined, never)).toEqual([1])
  })

  it('come in the order asked, with nothing for what is in no block', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const mined = await sendAs(world(), wallet, pay(coin, to, 1n))
    await world().mine()
    const waiting = await sendAs(world(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const unknown = `0x${'ab'.repeat(32)}`
    const hashes = [unknown, mined.txHash, waiting.txHash, mined.txHash]
    const receipts = await world().sender.readReceipts(hashes, never)
    expect(receipts.map((receipt) => receipt?.txHash)).toEqual([
      undefined,
      mined.txHash,
      undefined,
      mined.txHash,
    ])
    await world().mine()
  })

  it('are gone with their block, and the same bytes are mined again', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    await world().mine()
    const { raw, txHash } = await sendAs(world(), wallet, pay(coin, to, 1n))
    await world().mine()
    const before = await receiptOf(world(), txHash)
    await world().rollback(1)
    expect(await receiptOf(world(), txHash)).toBeUndefined()
    expect(await world().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await world().mine()
    const after = await receiptOf(world(), txHash)
    expect(after).toMatchObject({ txHash, isSuccess: true })
    expect(after?.blockHash).not.toBe(before?.blockHash)
  })

  it('show by which transaction a place in the order was taken, and that one is free', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const first = await settle(world(), wallet, pay(coin, to, 1n))
    await world().mine()
    const second = await settle(world(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const at = (nonce: number, height: number) => world().sender.findTaken(wallet, nonce, height, never)
    for (const [nonce, { txHash, height, blockHash }] of [first, second].entries()) {
      expect(await at(nonce, second.height)).toEqual({ txHash, height, blockHash })
    }
    expect(await at(1, second.height - 1)).toBeUndefined()
    expect(await at(2, second.height)).toBeUndefined()
  })

  it('agree with the nonces at each height', async () => {
    const wallet = await world().wallet()
    const to = world().newAddress()
    const { height } = await settle(world(), wallet, pay(coin, to, 1n))
    await settle(world(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const at = (asked: number | undefined) => world().sender.readNonces([wallet, to], asked, never)
    expect(await at(height - 1)).toEqual([0, 0])
    expect(await at(height)).toEqual([1, 0])
    expect(await at(undefined)).toEqual([2, 0])
  })
}
