import { expect, it } from 'vitest'
import { coin, type Harness, never } from './harness.ts'
import {
  balanceOf,
  pay,
  plentyMinor,
  receiptOf,
  type SenderHarness,
  sendAs,
  settle,
} from './sender-harness.ts'

export function promisesOfReceipts(harness: Harness<SenderHarness>): void {
  it('tell the block and what the sender paid, to the last unit', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const receipt = await settle(harness(), wallet, pay(coin, to, 5n))
    const head = await harness().reader.readHead(never)
    expect(receipt).toMatchObject({ isSuccess: true, height: head.height, blockHash: head.hash })
    expect(receipt.feeMinor).toBeGreaterThan(0n)
    expect(await balanceOf(harness(), coin, wallet)).toBe(plentyMinor - 5n - receipt.feeMinor)
    const facts = await harness().reader.readBlock(head.height, never)
    const { txHash } = receipt
    expect(facts?.transfers).toMatchObject([
      { txHash, asset: coin, sender: wallet, recipient: to, amountMinor: 5n },
    ])
  })

  it('say that a transaction was mined and did nothing, which still costs its fee', async () => {
    const wallet = await harness().wallet({ tokenMinor: 5n })
    const to = harness().newAddress()
    const token = { type: 'token', contract: harness().token } as const
    const receipt = await settle(harness(), wallet, pay(token, to, 6n))
    expect(receipt.isSuccess).toBe(false)
    expect(await balanceOf(harness(), coin, wallet)).toBe(plentyMinor - receipt.feeMinor)
    expect(await balanceOf(harness(), token, wallet)).toBe(5n)
    expect(await harness().sender.readNonces([wallet], undefined, never)).toEqual([1])
  })

  it('come in the order asked, with nothing for what is in no block', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const mined = await sendAs(harness(), wallet, pay(coin, to, 1n))
    await harness().mine()
    const waiting = await sendAs(harness(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const unknown = `0x${'ab'.repeat(32)}`
    const hashes = [unknown, mined.txHash, waiting.txHash, mined.txHash]
    const receipts = await harness().sender.readReceipts(hashes, never)
    expect(receipts.map((receipt) => receipt?.txHash)).toEqual([
      undefined,
      mined.txHash,
      undefined,
      mined.txHash,
    ])
    await harness().mine()
  })

  it('are gone with their block, and the same bytes are mined again', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    await harness().mine()
    const { raw, txHash } = await sendAs(harness(), wallet, pay(coin, to, 1n))
    await harness().mine()
    const before = await receiptOf(harness(), txHash)
    await harness().rollback(1)
    expect(await receiptOf(harness(), txHash)).toBeUndefined()
    expect(await harness().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await harness().mine()
    const after = await receiptOf(harness(), txHash)
    expect(after).toMatchObject({ txHash, isSuccess: true })
    expect(after?.blockHash).not.toBe(before?.blockHash)
  })

  it('show by which transaction a place in the order was taken, and that one is free', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const first = await settle(harness(), wallet, pay(coin, to, 1n))
    await harness().mine()
    const second = await settle(harness(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const at = (nonce: number, height: number) => harness().sender.findTaken(wallet, nonce, height, never)
    for (const [nonce, { txHash, height, blockHash }] of [first, second].entries()) {
      expect(await at(nonce, second.height)).toEqual({ txHash, height, blockHash })
    }
    expect(await at(1, second.height - 1)).toBeUndefined()
    expect(await at(2, second.height)).toBeUndefined()
  })

  it('agree with the nonces at each height', async () => {
    const wallet = await harness().wallet()
    const to = harness().newAddress()
    const { height } = await settle(harness(), wallet, pay(coin, to, 1n))
    await settle(harness(), wallet, pay(coin, to, 1n), { nonce: 1 })
    const at = (asked: number | undefined) => harness().sender.readNonces([wallet, to], asked, never)
    expect(await at(height - 1)).toEqual([0, 0])
    expect(await at(height)).toEqual([1, 0])
    expect(await at(undefined)).toEqual([2, 0])
  })
}
