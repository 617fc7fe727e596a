/** What the signer signs of coins, judged by others: by a property over all that may be asked, and by a real node. */
import { Transaction as SecondTransaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCoinSender } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import type { CoinPlace, Intent } from '../../src/signing/intent.ts'
import type { CoinRequest, SignAnswer } from '../../src/signing/signer-port.ts'
import {
  addressAt,
  approveCoins,
  coinRequest,
  draw,
  inventCoin,
  newOutsider,
  rightPayout,
  scriptAt,
  type TestCoin,
} from '../support/coin-requests.ts'
import { mineWallet, newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest, useLitecoind } from '../support/litecoind.ts'
import { type TestSigner, useTestSigner } from '../support/signer.ts'

const network = litecoinRegtest
const never = new AbortController().signal

async function ask({ signer }: TestSigner, request: CoinRequest): Promise<SignAnswer> {
  const [answer] = await signer.sign([request])
  return required(answer, 'an answer')
}

async function signed(opened: TestSigner, request: CoinRequest) {
  const answer = await ask(opened, request)
  if (answer.type === 'refused') throw new Error(`${answer.code}: ${answer.detail}`)
  return answer
}

const freshChange = (index: number): CoinPlace => ({ type: 'hot', branch: 1, index })

/** What is done to outputs that would be right; to a third of them nothing. */
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

describe('whatever is asked', () => {
  it('E17 what is signed pays each approved payment once, the rest to ourselves, and no fee above the limits', async () => {
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
          const approved = paid.map((netMinor) => approveCoins(opened, network, { netMinor }))
          const totalMinor = paid.reduce((total, amountMinor) => total + amountMinor, 0n)
          const changeMinor = 500_000n
          const coin = inventCoin(network, opened.keys, {
            amountMinor: totalMinor + BigInt(changes) * changeMinor + feeMinor,
          })
          let payments: { address: string; netMinor: bigint }[] = [...approved]
          const change = Array.from({ length: changes }, (_, index) => ({
            place: freshChange(count * 10 + index),
            amountMinor: changeMinor,
          }))
          for (const { what, at } of done) {
            const place = at % Math.max(1, payments.length)
            const one = payments[place]
            if (what === 'drop') payments = payments.toSpliced(place, 1)
            if (what === 'add') payments.push({ address: newOutsider(network), netMinor: 10_000n })
            if (what === 'double' && one !== undefined) payments.push(one)
            if (what === 'alter' && one !== undefined)
              payments[place] = { ...one, netMinor: one.netMinor - 1n }
            if (what === 'redirect' && one !== undefined)
              payments[place] = { ...one, address: newOutsider(network) }
            if (what === 'deposit')
              change.push({ place: { type: 'deposit', branch: 1, index: at }, amountMinor: changeMinor })
            if (what === 'dust') change.push({ place: freshChange(at), amountMinor: 5_000n })
          }
          const intent: Intent = { kind: 'withdrawal', payments: approved }
          const drawing = { coins: [coin], payments, change }
          const answer = await ask(
            opened,
            coinRequest(network, intent, draw(opened.keys, network, drawing), { anchor: coin }),
          )
          counts[answer.type] += 1
          if (answer.type === 'refused') return
          const second = SecondTransaction.fromHex(answer.raw)
          const outputs = second.outs.map(
            ({ script, value }) => `${Buffer.from(script).toString('hex')} ${value}`,
          )
          const ours = change.map(({ place, amountMinor }) => {
            expect(place).toMatchObject({ type: 'hot', branch: 1 })
            return `${Buffer.from(scriptAt(opened.keys, network, place)).toString('hex')} ${amountMinor}`
          })
          const right = draw(opened.keys, network, { coins: [coin], payments: approved })
          const wanted = outputsIn(right)
          expect(outputs.toSorted()).toEqual([...wanted, ...ours].toSorted())
          const spentMinor = second.outs.reduce((total, { value }) => total + BigInt(value), 0n)
          const paidFee = coin.amountMinor - spentMinor
          expect(paidFee * 1_000n).toBeLessThanOrEqual(
            network.chain.feeRateMax * BigInt(second.virtualSize() + 5),
          )
        },
      ),
      { numRuns: 60 },
    )
    // The property says nothing where nothing is signed.
    expect(counts.signed).toBeGreaterThan(5)
    expect(counts.refused).toBeGreaterThan(5)
  })
})

describe('bytes that were changed anywhere', () => {
  it('get an answer, and what is signed of them pays what was approved', async () => {
    const opened = await useTestSigner()
    const right = rightPayout(opened, network)
    const request = right.ask({}, { payoutId: 'payout' })
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

  /** A coin of ours in a block, and whoever sends for us. */
  async function openPlace() {
    const opened = await useTestSigner()
    const sender = openCoinSender({ network, urls: [node.url], log: silentLog })
    outsider ??= mineWallet(node, 30)
    const wallet = await outsider
    const fund = async (place: CoinPlace, amountMinor: bigint): Promise<TestCoin> => {
      const { txid } = await wallet.pay(addressAt(opened.keys, network, place), amountMinor)
      return { outpoint: `${txid}:0`, amountMinor, place }
    }
    return { opened, sender, fund }
  }
  let outsider: ReturnType<typeof mineWallet> | undefined

  it('a batch of 50 withdrawals is taken and mined, and pays each of them', async () => {
    const { opened, sender, fund } = await openPlace()
    const coins = [
      await fund({ type: 'deposit', branch: 3_000_000, index: 5 }, 4n * 10n ** 7n),
      await fund({ type: 'hot', branch: 0, index: 0 }, 4n * 10n ** 7n),
    ]
    const payments = Array.from({ length: 50 }, () =>
      approveCoins(opened, network, { netMinor: 1_000_000n, address: newAddress() }),
    )
    const change = [{ place: freshChange(0), amountMinor: 8n * 10n ** 7n - 50_000_000n - 30_000n }]
    const request = coinRequest(
      network,
      { kind: 'withdrawal', payments },
      draw(opened.keys, network, { coins, payments, change }),
      { anchor: required(coins[1], 'anchor') },
    )
    const { raw, txHash } = await signed(opened, request)
    expect(await sender.testAccept(raw, never)).toEqual({ type: 'taken' })
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await node.mineOnly(await node.rpc('getrawmempool'))
    for (const [place, { address }] of payments.entries()) {
      const { value, scriptPubKey } = await node.rpc('gettxout', txHash, place)
      expect([value, scriptPubKey.addresses]).toEqual([0.01, [address]])
    }
    await sender.close()
  })

  it('E10 what waits for too little is lifted by what spends its change, and replaced where nodes replace', async () => {
    const { opened, sender, fund } = await openPlace()
    const coin = await fund({ type: 'hot', branch: 1, index: 3 }, 10n ** 8n)
    await node.mineOnly(await node.rpc('getrawmempool'))
    const payment = approveCoins(opened, network)
    const attempt = (feeMinor: bigint) =>
      coinRequest(
        network,
        { kind: 'withdrawal', payments: [payment] },
        draw(opened.keys, network, {
          coins: [coin],
          payments: [payment],
          change: [{ place: freshChange(1), amountMinor: 9n * 10n ** 7n - feeMinor }],
        }),
        { anchor: coin, payoutId: 'stuck' },
      )
    await signed(opened, attempt(200n))
    const stuck = await signed(opened, attempt(400n))
    expect(await sender.broadcast(stuck.raw, never)).toEqual({ type: 'taken' })
    const change: TestCoin = {
      outpoint: `${stuck.txHash}:1`,
      amountMinor: 9n * 10n ** 7n - 400n,
      place: freshChange(1),
    }
    const lift = coinRequest(
      network,
      { kind: 'lift', payoutId: 'stuck' },
      draw(opened.keys, network, {
        coins: [change],
        payments: [],
        change: [{ place: freshChange(2), amountMinor: change.amountMinor - 60_000n }],
      }),
      { anchor: change },
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
    const { opened, sender, fund } = await openPlace()
    const coins = [0, 1, 2, 3].map((index) => fund({ type: 'deposit', branch: 9, index }, 200_000n))
    const funded = await Promise.all(coins)
    const request = coinRequest(
      network,
      { kind: 'consolidate' },
      draw(opened.keys, network, {
        coins: funded,
        payments: [],
        change: [{ place: freshChange(9), amountMinor: 790_000n }],
      }),
      { anchor: required(funded[0], 'anchor') },
    )
    const { raw } = await signed(opened, request)
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    await sender.close()
  })
})
