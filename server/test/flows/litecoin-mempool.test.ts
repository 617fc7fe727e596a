/** Tests payments that are seen in the mempool, on a real node. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../src/core/free-port.ts'
import { seenIn } from '../../src/payments/deposits/deposit.ts'
import { readPauses } from '../../src/payments/deposits/pause-store.ts'
import type { OpenInvoice } from '../support/chain-flow.ts'
import { litecoinMethodId, useLitecoinFlow } from '../support/litecoin-flow.ts'
import { newAddress, type Paid } from '../support/litecoin-wallet.ts'
import { hasLitecoind, type Litecoind, startLitecoind } from '../support/litecoind.ts'
import { balanceOf, depositsOf, eventsOf, invoiceStatusOf, journalsOf } from '../support/shop-readers.ts'

const hourS = 3_600
const paidOnce = ['transaction.detected', 'invoice.paid', 'transaction.confirmed']
/** The port to which a second node can connect. */
const port = await freePort()

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  const flow = useLitecoinFlow(['-mempoolexpiry=1', '-listen=1', '-bind=127.0.0.1', `-port=${port}`])

  /** Returns the one payment of an invoice, with where it was seen. */
  async function paymentOf(invoice: OpenInvoice) {
    const [payment, ...others] = await depositsOf(flow.shop, invoice)
    if (payment === undefined || others.length > 0) throw new Error(`${others.length + 1} payments`)
    return { ...payment, seenIn: seenIn(payment) }
  }

  /** Returns a double spend: it spends the same UTXO to another recipient, at a higher fee. */
  function rivalOf({ utxo }: Paid, feeMinor = 1_000_000n): Paid {
    return flow.wallet.sign([{ to: newAddress(), amountMinor: 1_000_000n }], { utxo, feeMinor })
  }

  it('sees an unconfirmed payment at once, pays the invoice with its block and credits it with the sixth', async () => {
    const invoice = await flow.openInvoice()
    const { raw } = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', inclusion: 0, seenIn: 'mempool' })
    await flow.mineAndFollow([raw], 4)
    expect(await invoiceStatusOf(flow.shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
    expect(await journalsOf(flow.shop, invoice)).toEqual([])
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', inclusion: 1 })
    expect(await eventsOf(flow.shop, invoice)).toEqual(paidOnce)
  })

  it('B01 never pays with a payment that was replaced in the mempool, and fails it once the other is final', async () => {
    const invoice = await flow.openInvoice()
    const paid = await flow.wallet.pay(invoice.address, invoice.amountMinor, { replaceable: true })
    await flow.pollMempool()
    const rival = await flow.wallet.send(rivalOf(paid))
    await flow.pollMempool()
    const replaced = { seenIn: 'nowhere', replacedBy: rival.txid, inclusion: 0 }
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', ...replaced })
    await flow.mineAndFollow([rival.raw], 4)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', ...replaced })
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', ...replaced })
    expect(await eventsOf(flow.shop, invoice)).toEqual(['transaction.detected', 'transaction.failed'])
    expect(await invoiceStatusOf(flow.shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  })

  it('B02 replaces a double-spent payment without a signal by the block of another node', async () => {
    const other = await secondNode()
    await other.rpc('setnetworkactive', false)
    const invoice = await flow.openInvoice()
    const paid = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
    const rival = rivalOf(paid)
    await other.mineOnly([rival.raw])
    const height = await other.mine()
    await other.rpc('setnetworkactive', true)
    await connect(other, height)
    await flow.follow()
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({
      state: 'pending',
      seenIn: 'nowhere',
      replacedBy: rival.txid,
      replacedHeight: height - 1,
    })
    await flow.mineAndFollow([], 3)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.txid })
  })

  /** Starts a node of the same chain, connected to the flow's node. */
  async function secondNode(): Promise<Litecoind> {
    const other = await startLitecoind()
    onTestFinished(() => other.stop())
    await connect(other, await flow.node.rpc('getblockcount'))
    return other
  }

  /** Connects the nodes until both have that height. */
  async function connect(other: Litecoind, height: number): Promise<void> {
    await vi.waitUntil(
      async () => {
        const [peers, ...heights] = await Promise.all([
          other.rpc('getconnectioncount'),
          ...[flow.node, other].map((node) => node.rpc('getblockcount')),
        ])
        if (peers === 0) await other.rpc('addnode', `127.0.0.1:${port}`, 'onetry')
        return heights.every((one) => one === height)
      },
      { timeout: 30_000, interval: 50 },
    )
  }

  it('B04 reverses a credit by a mirror journal after a reorganisation of 13 blocks, and pauses deposits', async () => {
    await flow.mineAndFollow([], 6)
    const invoice = await flow.openInvoice()
    const paid = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.pollMempool()
    await flow.mineAndFollow([paid.raw], 5)
    expect(await balanceOf(flow.shop, invoice, litecoinMethodId)).not.toBe('0')
    const height: number = await flow.node.rpc('getblockcount')
    await flow.node.rollBack(13)
    const rival = rivalOf(paid)
    await flow.mineAndFollow([rival.raw], 13)
    expect(await balanceOf(flow.shop, invoice, litecoinMethodId)).toBe('0')
    expect(await journalsOf(flow.shop, invoice)).toEqual(['deposit.credited', 'deposit.credited.reversed'])
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.txid })
    expect(await eventsOf(flow.shop, invoice)).toEqual([
      ...paidOnce,
      'transaction.reverted',
      'invoice.reverted',
      'transaction.failed',
    ])
    const ancestor = height - 13
    expect(await readPauses(flow.shop.db)).toMatchObject([{ depth: 13, untilHeight: ancestor + 26 }])
    const later = await flow.openInvoice()
    const { raw } = await flow.wallet.pay(later.address, later.amountMinor)
    await flow.mineAndFollow([raw], 10)
    expect(await paymentOf(later)).toMatchObject({ state: 'pending', seenIn: 'block' })
    await flow.mineAndFollow()
    expect(await paymentOf(later)).toMatchObject({ state: 'confirmed' })
  })

  it('B10 replaces a payment with 24 unconfirmed ancestors when the first of them is replaced', async () => {
    const invoice = await flow.openInvoice()
    const root = await flow.wallet.pay(newAddress(), 1_000_000n, { replaceable: true })
    let last = root
    for (let built = 1; built < 24; built += 1) {
      last = await flow.wallet.send(
        flow.wallet.spendChange(last, [{ to: newAddress(), amountMinor: 10_000n }]),
      )
    }
    const outputs = [{ to: invoice.address, amountMinor: invoice.amountMinor }]
    await flow.wallet.send(flow.wallet.spendChange(last, outputs))
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'mempool' })
    const rival = await flow.wallet.send(rivalOf(root, 100_000_000n))
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ seenIn: 'nowhere', replacedBy: rival.txid })
    await flow.mineAndFollow([rival.raw], 5)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'failed', replacedBy: rival.txid })
    expect(await invoiceStatusOf(flow.shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  })

  // This test runs last, because its blocks have times in the future.
  it('B09 credits a payment that expired in the mempool once it is sent again and mined', async () => {
    const invoice = await flow.openInvoice()
    const paid = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.pollMempool()
    const now = Math.floor(Date.now() / 1000)
    await flow.node.rpc('setmocktime', now + 2 * hourS)
    // The node only removes expired transactions when it accepts another one.
    await flow.wallet.pay(newAddress(), 1_000_000n)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', seenIn: 'nowhere', inclusion: 0 })
    await flow.wallet.send(paid)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', seenIn: 'mempool' })
    await flow.mineAndFollow([paid.raw], 5)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
    expect(await eventsOf(flow.shop, invoice)).toEqual(paidOnce)
  })
})
