/**
 * Tests what the signer signs on UTXO chains, by a property over all possible requests and by a real node.
 */
import { Transaction as SecondTransaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openUtxoSender } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Intent, UtxoKeyPath } from '../../src/signing/intent.ts'
import type { SignAnswer, UtxoRequest } from '../../src/signing/signer-port.ts'
import { mineWallet, newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest, useLitecoind } from '../support/litecoind.ts'
import { type TestSigner, useTestSigner } from '../support/signer.ts'
import {
  addressAt,
  approveUtxoPayment,
  draw,
  inventUtxo,
  newExternalAddress,
  scriptAt,
  type TestUtxo,
  utxoRequest,
  validOutgoing,
} from '../support/utxo-requests.ts'

const network = litecoinRegtest
const never = new AbortController().signal

async function ask({ signer }: TestSigner, request: UtxoRequest): Promise<SignAnswer> {
  const [answer] = await signer.sign([request])
  return required(answer, 'an answer')
}

async function signed(opened: TestSigner, request: UtxoRequest) {
  const answer = await ask(opened, request)
  if (answer.type === 'refused') throw new Error(`${answer.code}: ${answer.detail}`)
  return answer
}

const freshChange = (index: number): UtxoKeyPath => ({ type: 'hot', branch: 1, index })

/** Faults that are added to correct requests. A third of the requests get none. */
const someSlips = fc.array(
  fc.record({
    what: fc.constantFrom(
      'nothing',
      'nothing',
      'drop',
      'double',
      'alter',
      'redirect',
      'add',
      'deposit',
      'dust',
    ),
    at: fc.nat(60),
  }),
  { maxLength: 2 },
)
const slips = fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: someSlips })

describe('random requests', () => {
  it('E17 get a signature only if each approved payment is paid once, the rest goes to ourselves, and the fee is within the limits', async () => {
    const opened = await useTestSigner()
    let count = 0
    const counts = { signed: 0, refused: 0 }
    const amounts = fc.array(fc.bigInt(10_000n, 10n ** 9n), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        amounts,
        slips,
        fc.bigInt(0n, 2_000_000n),
        fc.nat(2),
        async (paid, done, feeMinor, changes) => {
          count += 1
          const approved = paid.map((netMinor) => approveUtxoPayment(opened, network, { netMinor }))
          const totalMinor = paid.reduce((total, amountMinor) => total + amountMinor, 0n)
          const changeMinor = 500_000n
          const utxo = inventUtxo(network, opened.keys, {
            amountMinor: totalMinor + BigInt(changes) * changeMinor + feeMinor,
          })
          let payments: { address: string; netMinor: bigint }[] = [...approved]
          const change = Array.from({ length: changes }, (_, index) => ({
            keyPath: freshChange(count * 10 + index),
            amountMinor: changeMinor,
          }))
          for (const { what, at } of done) {
            const index = at % Math.max(1, payments.length)
            const one = payments[index]
            if (what === 'drop') payments = payments.toSpliced(index, 1)
            if (what === 'add') payments.push({ address: newExternalAddress(network), netMinor: 10_000n })
            if (what === 'double' && one !== undefined) payments.push(one)
            if (what === 'alter' && one !== undefined)
              payments[index] = { ...one, netMinor: one.netMinor - 1n }
            if (what === 'redirect' && one !== undefined)
              payments[index] = { ...one, address: newExternalAddress(network) }
            if (what === 'deposit')
              change.push({ keyPath: { type: 'deposit', branch: 1, index: at }, amountMinor: changeMinor })
            if (what === 'dust') change.push({ keyPath: freshChange(at), amountMinor: 5_000n })
          }
          const intent: Intent = { kind: 'withdrawal', payments: approved }
          const drawing = { utxos: [utxo], payments, change }
          const answer = await ask(
            opened,
            utxoRequest(network, intent, draw(opened.keys, network, drawing), { pinnedOutpoint: utxo }),
          )
          counts[answer.type] += 1
          if (answer.type === 'refused') return
          const second = SecondTransaction.fromHex(answer.raw)
          const outputs = second.outs.map(
            ({ script, value }) => `${Buffer.from(script).toString('hex')} ${value}`,
          )
          const own = change.map(({ keyPath, amountMinor }) => {
            expect(keyPath).toMatchObject({ type: 'hot', branch: 1 })
            return `${Buffer.from(scriptAt(opened.keys, network, keyPath)).toString('hex')} ${amountMinor}`
          })
          const right = draw(opened.keys, network, { utxos: [utxo], payments: approved })
          const wanted = outputsIn(right)
          expect(outputs.toSorted()).toEqual([...wanted, ...own].toSorted())
          const spentMinor = second.outs.reduce((total, { value }) => total + BigInt(value), 0n)
          const paidFee = utxo.amountMinor - spentMinor
          expect(paidFee * 1_000n).toBeLessThanOrEqual(
            network.chain.feeRateMax * BigInt(second.virtualSize() + 5),
          )
        },
      ),
      { numRuns: 60 },
    )
    // The property is only meaningful if some requests are signed and some are refused.
    expect(counts.signed).toBeGreaterThan(5)
    expect(counts.refused).toBeGreaterThan(5)
  })
})

describe('bytes that were changed anywhere', () => {
  it('get an answer, and a signed transaction pays what was approved', async () => {
    const opened = await useTestSigner()
    const right = validOutgoing(opened, network)
    const request = right.ask({}, { outgoingTransactionId: 'payout' })
    const bytes = Buffer.from(request.psbt, 'base64')
    const asked = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, third) => {
      const at = Math.min(bytes.length - 1, 3 * third + (third % 3))
      const altered = bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at % 8)))
      return { ...request, psbt: Buffer.from(altered).toString('base64') }
    })
    const answers = await opened.signer.sign(asked)
    for (const answer of answers) {
      if (answer.type === 'refused') continue
      const [payment] = SecondTransaction.fromHex(answer.raw).outs
      expect(payment?.value).toBe(right.payment.netMinor)
    }
    expect(await signed(opened, request)).toMatchObject({ type: 'signed' })
  })
})

function outputsIn(psbt: string): readonly string[] {
  const bytes = Buffer.from(psbt, 'base64')
  const length = bytes[7] === 0xfd ? bytes.readUInt16LE(8) : (bytes[7] ?? 0)
  const start = bytes[7] === 0xfd ? 10 : 8
  const transaction = SecondTransaction.fromBuffer(bytes.subarray(start, start + length))
  return transaction.outs.map(({ script, value }) => `${Buffer.from(script).toString('hex')} ${value}`)
}

describe.skipIf(!hasLitecoind)('on a litecoind', () => {
  const node = useLitecoind()

  /** Returns a signer with one of our outputs in a block, and a sender to the node. */
  async function openChangePath() {
    const opened = await useTestSigner()
    const sender = openUtxoSender({ network, urls: [node.url], log: silentLog })
    faucet ??= mineWallet(node, 30)
    const wallet = await faucet
    const fund = async (keyPath: UtxoKeyPath, amountMinor: bigint): Promise<TestUtxo> => {
      const { txid } = await wallet.pay(addressAt(opened.keys, network, keyPath), amountMinor)
      return { outpoint: `${txid}:0`, amountMinor, keyPath }
    }
    return { opened, sender, fund }
  }
  let faucet: ReturnType<typeof mineWallet> | undefined

  it('a batch of 50 withdrawals is accepted and mined, and pays each of them', async () => {
    const { opened, sender, fund } = await openChangePath()
    const utxos = [
      await fund({ type: 'deposit', branch: 3_000_000, index: 5 }, 4n * 10n ** 7n),
      await fund({ type: 'hot', branch: 0, index: 0 }, 4n * 10n ** 7n),
    ]
    const payments = Array.from({ length: 50 }, () =>
      approveUtxoPayment(opened, network, { netMinor: 1_000_000n, address: newAddress() }),
    )
    const change = [{ keyPath: freshChange(0), amountMinor: 8n * 10n ** 7n - 50_000_000n - 30_000n }]
    const request = utxoRequest(
      network,
      { kind: 'withdrawal', payments },
      draw(opened.keys, network, { utxos, payments, change }),
      { pinnedOutpoint: required(utxos[1], 'pinned') },
    )
    const { raw, txHash } = await signed(opened, request)
    expect(await sender.testAccept(raw, never)).toEqual({ type: 'taken' })
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await node.mineOnly(await node.rpc('getrawmempool'))
    for (const [index, { address }] of payments.entries()) {
      const { value, scriptPubKey } = await node.rpc('gettxout', txHash, index)
      expect([value, scriptPubKey.addresses]).toEqual([0.01, [address]])
    }
    await sender.close()
  })

  it('E10 a transaction with a low fee is mined with a CPFP that spends its change, or is replaced if nodes allow it', async () => {
    const { opened, sender, fund } = await openChangePath()
    const utxo = await fund({ type: 'hot', branch: 1, index: 3 }, 10n ** 8n)
    await node.mineOnly(await node.rpc('getrawmempool'))
    const payment = approveUtxoPayment(opened, network)
    const attempt = (feeMinor: bigint) =>
      utxoRequest(
        network,
        { kind: 'withdrawal', payments: [payment] },
        draw(opened.keys, network, {
          utxos: [utxo],
          payments: [payment],
          change: [{ keyPath: freshChange(1), amountMinor: 9n * 10n ** 7n - feeMinor }],
        }),
        { pinnedOutpoint: utxo, outgoingTransactionId: 'stuck' },
      )
    await signed(opened, attempt(200n))
    const stuck = await signed(opened, attempt(400n))
    expect(await sender.broadcast(stuck.raw, never)).toEqual({ type: 'taken' })
    const change: TestUtxo = {
      outpoint: `${stuck.txHash}:1`,
      amountMinor: 9n * 10n ** 7n - 400n,
      keyPath: freshChange(1),
    }
    const lift = utxoRequest(
      network,
      { kind: 'cpfp', outgoingTransactionId: 'stuck' },
      draw(opened.keys, network, {
        utxos: [change],
        payments: [],
        change: [{ keyPath: freshChange(2), amountMinor: change.amountMinor - 60_000n }],
      }),
      { pinnedOutpoint: change },
    )
    const { raw, txHash } = await signed(opened, lift)
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    const { fees } = await node.rpc('getmempoolentry', txHash)
    expect(fees.ancestor).toBe(0.000604)
    const dearer = await signed(opened, attempt(90_000n))
    expect(await sender.broadcast(dearer.raw, never)).toEqual({ type: 'taken' })
    expect(await node.rpc('getrawmempool')).toEqual([dearer.txHash])
    await sender.close()
  })

  it('many small coins become one', async () => {
    const { opened, sender, fund } = await openChangePath()
    const utxos = [0, 1, 2, 3].map((index) => fund({ type: 'deposit', branch: 9, index }, 200_000n))
    const funded = await Promise.all(utxos)
    const request = utxoRequest(
      network,
      { kind: 'consolidate' },
      draw(opened.keys, network, {
        utxos: funded,
        payments: [],
        change: [{ keyPath: freshChange(9), amountMinor: 790_000n }],
      }),
      { pinnedOutpoint: required(funded[0], 'pinned') },
    )
    const { raw } = await signed(opened, request)
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await sender.close()
  })
})
