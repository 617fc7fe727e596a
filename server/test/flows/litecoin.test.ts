/** Tests deposits on a real litecoind, from the mempool to the merchant's balance. */
import { Address, p2pkh, Transaction } from '@scure/btc-signer'
import { hash160, pubECDSA, randomPrivateKeyBytes } from '@scure/btc-signer/utils.js'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { describeMisdirectedDeposits } from '../../src/app/describe-misdirected-deposits.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { silentLog } from '../../src/core/log.ts'
import { seenIn } from '../../src/payments/deposits/deposit.ts'
import { openLitecoin } from '../chains/litecoin-harness.ts'
import type { OpenInvoice } from '../support/chain-flow.ts'
import { type LitecoinShop, litecoinMethodId, useLitecoinShop } from '../support/litecoin-shop.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { copyBlocks, hasLitecoind, litecoinRegtest, startLitecoind } from '../support/litecoind.ts'
import { addressBranchRecords, addressRecords } from '../support/payments/records.ts'
import {
  balanceOf,
  depositsOf,
  eventsOf,
  invoiceStatusOf,
  journalsOf,
  paidOnce,
} from '../support/shop-readers.ts'
import { watchManually } from '../support/watch-manually.ts'

describe.skipIf(!hasLitecoind)('a shop paid in litecoin, on litecoind', () => {
  const flow = useLitecoinShop(40)
  const { shop, node } = flow

  afterEach(async () => {
    expect(await flow.findViolations()).toEqual([])
  })

  const balance = (invoice: OpenInvoice) => balanceOf(shop, invoice, litecoinMethodId)

  async function paymentOf(invoice: OpenInvoice) {
    const [payment, ...others] = await depositsOf(shop, invoice)
    if (payment === undefined || others.length > 0) throw new Error(`${others.length + 1} payments`)
    const { state, inclusion, txHash } = payment
    return { state, inclusion, txHash, seenIn: seenIn(payment) }
  }

  it('shows a payment from the mempool to the balance, with an address of the account and a payment link', async () => {
    const invoice = await flow.openInvoice({ amount: '40' })
    expect(invoice.address).toMatch(/^rltc1q/)
    expect(invoice.amountMinor).toBe(50_000_000n)
    const { txid } = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', txHash: txid, seenIn: 'mempool' })
    await flow.mineAndFollow()
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
    expect(await balance(invoice)).toBe('0')
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', seenIn: 'block' })
    expect(await eventsOf(shop, invoice)).toEqual([
      'transaction.detected',
      'invoice.paid',
      'transaction.confirmed',
    ])
    expect(Number(await balance(invoice))).toBeCloseTo(0.495)
  })

  it('derives the payer from the spent outputs, and holds a payment of a listed one', async () => {
    const listed = await flow.openInvoice()
    const clean = await flow.openInvoice()
    const legacy = await legacyUtxos(flow)
    const raw = legacy.sign([{ to: clean.address, amountMinor: clean.amountMinor }])
    await node.rpc('sendrawtransaction', raw, 0)
    await flow.wallet.pay(listed.address, listed.amountMinor)
    await node.mine()
    const screening = {
      screenAll: async (_: unknown, __: string, senders: readonly string[]) =>
        new Map(senders.map((one) => [one, one === flow.wallet.address ? 'listed' : 'passed'] as const)),
    }
    await flow.follow({ screening })
    await flow.mineAndFollow()
    const [held] = await depositsOf(shop, listed)
    expect(held).toMatchObject({ sender: flow.wallet.address, verdict: 'listed', quarantine: 'held' })
    const [passed] = await depositsOf(shop, clean)
    expect(passed).toMatchObject({ sender: legacy.address, verdict: 'passed', state: 'confirmed' })
    expect(await balance(listed)).toBe('0')
  })

  it('B03 makes a payment unconfirmed again in the same row when a reorganisation drops its block, and credits it when mined again', async () => {
    const invoice = await flow.openInvoice()
    const { txid, raw } = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow()
    expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'paid' })
    await node.rollBack(1)
    await node.mineOnly([])
    await node.mineOnly([])
    await flow.follow()
    await flow.pollMempool()
    expect(await paymentOf(invoice)).toEqual({
      state: 'pending',
      inclusion: 1,
      txHash: txid,
      seenIn: 'mempool',
    })
    expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'pending' })
    expect(await journalsOf(shop, invoice)).toEqual([])
    await node.mineOnly([raw])
    await node.mine()
    await flow.follow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', inclusion: 2, txHash: txid })
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
  })

  it('B04 reverses a credit when 13 blocks are replaced, and credits nothing until the pause of deposits ends', async () => {
    const invoice = await flow.openInvoice()
    const { raw } = await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(13)
    expect(await balance(invoice)).not.toBe('0')
    await node.rollBack(13)
    for (let block = 0; block < 14; block += 1) await node.mineOnly([])
    await flow.follow()
    expect(await balance(invoice)).toBe('0')
    // When 13 blocks are dropped, the node does not return their transactions to its mempool. The test
    // therefore mines the payment again.
    await node.mineOnly([raw])
    await flow.mineAndFollow(8)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending', inclusion: 2 })
    await flow.mineAndFollow(30)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed', inclusion: 2 })
  })

  it('B06 credits a payment whose txid was changed once, by the outpoint that was mined', async () => {
    const invoice = await flow.openInvoice()
    const legacy = await legacyUtxos(flow)
    const seen = legacy.sign([{ to: invoice.address, amountMinor: invoice.amountMinor }])
    await node.rpc('sendrawtransaction', seen, 0)
    await flow.pollMempool()
    const mined = malleated(seen)
    const [seenId, minedId] = [seen, mined].map((raw) => readRawTransaction(raw).txid)
    expect(minedId).not.toBe(seenId)
    expect(await paymentOf(invoice)).toMatchObject({ txHash: seenId, state: 'pending' })
    await node.mineOnly([mined])
    await flow.mineAndFollow()
    expect(await depositsOf(shop, invoice)).toMatchObject([
      { txHash: minedId, transferKey: `${minedId}:0`, state: 'confirmed' },
      { txHash: seenId, state: 'failed' },
    ])
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.credited'])
  })

  it('B07 keeps dust and deposits below the minimum separate, until the sum of an invoice reaches it', async () => {
    const invoice = await flow.openInvoice()
    const dust = flow.wallet.sign([{ to: invoice.address, amountMinor: 3_000n }])
    await node.mineOnly([dust.raw])
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
    expect(await balance(invoice)).toBe('0')
    expect(await journalsOf(shop, invoice)).toEqual(['deposit.below_minimum'])
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(2)
    expect(Number(await balance(invoice))).toBeGreaterThan(0.1)
  })

  it('B08 credits nothing of a coinbase before 100 blocks', async () => {
    const invoice = await flow.openInvoice()
    await node.rpc('generatetoaddress', 1, invoice.address)
    await flow.mineAndFollow(98)
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending' })
    expect(await balance(invoice)).toBe('0')
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
  })

  it('B11 credits no payment to another address type of an invoice’s key, and reports whose key it is', async () => {
    const invoice = await flow.openInvoice()
    const { bech32 = '', pubKeyHash, scriptHash } = litecoinRegtest.chain
    const codec = Address({ bech32, pubKeyHash, scriptHash, wif: 0 })
    const program = codec.decode(invoice.address)
    if (program.type !== 'wpkh') throw new Error('deposit addresses are P2WPKH')
    const redeemed = hash160(Uint8Array.from([0, 20, ...program.hash]))
    const others = [
      codec.encode({ type: 'pkh', hash: program.hash }),
      codec.encode({ type: 'sh', hash: redeemed }),
    ]
    const outputs = [...others, newAddress()].map((to) => ({ to, amountMinor: invoice.amountMinor }))
    const { txid } = await flow.wallet.send(flow.wallet.sign(outputs))
    await flow.mineAndFollow(3)
    const { branch, index } = await addressRecords.one(
      shop.db,
      { invoiceId: invoice.invoiceId },
      'branch',
      'index',
    )
    const chain = openLitecoin(node.url)
    onTestFinished(() => chain.close())
    const context = { db: shop.db, chain, network: litecoinRegtest }
    expect(await describeMisdirectedDeposits(context, txid, AbortSignal.timeout(10_000))).toEqual(
      others.map(
        (other, outputIndex) =>
          `${txid}:${outputIndex}  0.125 LTC to ${other}  unattributed: the key of ${invoice.address}, ` +
          `of invoice ${invoice.invoiceId} of merchant ${invoice.merchantId}, at m/84'/1'/0'/${branch}/${index}`,
      ),
    )
    const usual = await flow.wallet.pay(invoice.address, 1_000_000n)
    expect(await describeMisdirectedDeposits(context, usual.txid, AbortSignal.timeout(10_000))).toEqual([])
    expect(await depositsOf(shop, invoice)).toEqual([])
    expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'pending' })
  })

  it('B14 confirms only by blocks: without a block, elapsed time credits nothing', async () => {
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow()
    await node.rpc('setmocktime', Math.floor(Date.now() / 1000) + 3 * 3600)
    await flow.follow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'pending' })
    await node.rpc('setmocktime', 0)
    await flow.mineAndFollow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
  })

  it('B15 sees a payment to the ten thousandth address, although no earlier address was paid', async () => {
    const { owner } = flow.database
    await addressRecords.remove(owner, { family: 'litecoin', assignedAt: null })
    await addressBranchRecords.change(owner, { family: 'litecoin' }, { nextIndex: 9999 })
    await shop.poolOf('litecoin').refill()
    const invoice = await flow.openInvoice()
    const row = await addressRecords.one(shop.db, { invoiceId: invoice.invoiceId }, 'index')
    expect(row.index).toBe(9_999)
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await flow.mineAndFollow(2)
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  })

  it('B17 books nothing from a block that only one of two nodes shows, and all of it once both do', async () => {
    const other = await startLitecoind()
    onTestFinished(() => other.stop())
    const height = await node.rpc('getblockcount')
    await copyBlocks(node, other, 1, height)
    const both = openChain({ network: litecoinRegtest, urls: [node.url, other.url], log: silentLog })
    onTestFinished(() => both.close())
    const invoice = await flow.openInvoice()
    await flow.wallet.pay(invoice.address, invoice.amountMinor)
    await node.mine(2)
    const watching = watchManually(shop, () => both)
    await watching.follow()
    expect(await depositsOf(shop, invoice)).toEqual([])
    await copyBlocks(node, other, height + 1, height + 2)
    await watching.follow()
    expect(await paymentOf(invoice)).toMatchObject({ state: 'confirmed' })
  })
})

/** Returns P2PKH UTXOs. Their signature is part of the data that a txid hashes. */
async function legacyUtxos({ node, wallet }: LitecoinShop) {
  const addressEncoding = addressEncodingOf(litecoinRegtest.chain)
  const key = randomPrivateKeyBytes()
  const { address = '' } = p2pkh(pubECDSA(key), addressEncoding)
  const { raw, txid } = await wallet.pay(address, 100_000_000n)
  await node.mine()
  const sign = (outputs: readonly { readonly to: string; readonly amountMinor: bigint }[]): string => {
    const transaction = new Transaction()
    transaction.addInput({ txid, index: 0, nonWitnessUtxo: Buffer.from(raw, 'hex') })
    for (const { to, amountMinor } of outputs) transaction.addOutputAddress(to, amountMinor, addressEncoding)
    transaction.sign(key)
    transaction.finalize()
    return Buffer.from(transaction.extract()).toString('hex')
  }
  return { address, sign }
}

/**
 * Returns the same payment with its signature pushed by another opcode. Miners may include it, and its txid
 * differs.
 */
function malleated(raw: string): string {
  const [, head = '', length = '', rest = ''] = /^(0[12]00000001.{72})(..)(.+)$/.exec(raw) ?? []
  const longer = (Number.parseInt(length, 16) + 1).toString(16).padStart(2, '0')
  return `${head}${longer}4c${rest}`
}
