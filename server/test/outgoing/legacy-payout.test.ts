/** Payouts of the engine on a real node whose blocks have no base fee, with transactions of type 0. */
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseTransaction } from 'viem/utils'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { readWaits } from '../../src/outgoing/engine/controls/wait-store.ts'
import { bumpedMinor } from '../../src/outgoing/engine/outgoing-transaction.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { altered } from '../support/altered.ts'
import { quantity } from '../support/anvil.ts'
import { attemptsOf } from '../support/outgoing/attempts.ts'
import {
  attemptRecords,
  outgoingRecords,
  refusalRecords,
  signerLogRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { legacyPriceMax, startLegacyNode } from '../support/stories/legacy-node.ts'
import {
  type StoryAsset,
  type StoryEngine,
  type StoryWithdrawal,
  useStoryFlow,
} from '../support/stories/story-flow.ts'

const flow = useStoryFlow(startLegacyNode)
const never = new AbortController().signal
const gwei = 10n ** 9n
const plenty = 30_000_000
/** No transaction fits into a block of this size. */
const full = 20_000

const setPrice = (minor: bigint) => flow.node.dev.rpc('anvil_setMinGasPrice', quantity(minor))
const setBlockGas = (gas: number) => flow.node.dev.rpc('evm_setBlockGasLimit', quantity(gas))

afterEach(async () => {
  await setBlockGas(plenty)
  await setPrice(gwei)
})

/** Pays an invoice and orders a withdrawal of a part of the payment. */
async function order(asset: StoryAsset, amount: string): Promise<StoryWithdrawal> {
  const { merchantId, address, amountMinor } = await flow.openInvoice(asset)
  await flow.node.dev.pay({ to: address, amountMinor, contract: asset.contract })
  await flow.mine(5)
  return flow.withdraw(merchantId, asset, amount)
}

async function complete(withdrawal: StoryWithdrawal): Promise<void> {
  await (await flow.engine()).playUntil(async () => (await flow.stateOf(withdrawal)) !== 'pending')
  expect(await flow.stateOf(withdrawal)).toBe('completed')
}

async function signedFor({ id }: StoryWithdrawal) {
  return (await attemptsOf(flow.shop.db, { id })).map(({ raw, nonce, hash }) => ({ raw, nonce, hash }))
}

const priceOf = ({ raw }: { readonly raw: string }) => {
  const read = parseTransaction(`0x${raw}`)
  expect(read).toMatchObject({ type: 'legacy', chainId: flow.node.network.chainId })
  return required(read.gasPrice, 'a price')
}

it.each([
  ['coin', '0.002'],
  ['token', '5'],
] as const)(
  'a payout of the %s is of type 0 and costs the whole price of each unit of gas',
  async (asset, amount) => {
    await setPrice(3n * gwei)
    const withdrawal = await order(flow.assets[asset], amount)
    await complete(withdrawal)
    const [only, ...more] = await signedFor(withdrawal)
    expect(more).toEqual([])
    expect(priceOf(required(only, 'an attempt'))).toBe(
      BigInt(String(await flow.node.dev.rpc('eth_gasPrice'))),
    )
    const { txHash } = await withdrawalRecords.one(flow.shop.db, { id: withdrawal.id }, 'txHash')
    const { feeMinor } = await outgoingRecords.one(flow.shop.db, { includedTxHash: txHash }, 'feeMinor')
    const { gasUsed } = (await flow.node.dev.rpc('eth_getTransactionReceipt', txHash)) as {
      readonly gasUsed: string
    }
    expect(BigInt(feeMinor ?? 0)).toBe(BigInt(gasUsed) * priceOf(required(only, 'an attempt')))
    await flow.expectRightBooks()
  },
)

it('a payout that is not mined is replaced by one with a higher price, which the node accepts', async () => {
  const withdrawal = await order(flow.assets.coin, '0.002')
  const engine = await flow.engine()
  await engine.settle()
  for (let blocks = 0; blocks < 12 && (await signedFor(withdrawal)).length < 3; blocks += 1) {
    await setBlockGas(full)
    await flow.mine()
    await setBlockGas(plenty)
    await engine.settle()
  }
  const attempts = await signedFor(withdrawal)
  const prices = attempts.map(priceOf)
  expect(prices.length).toBeGreaterThan(2)
  for (const [index, price] of prices.slice(1).entries())
    expect(price * 10n).toBeGreaterThanOrEqual((prices[index] ?? 0n) * 11n)
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
  await complete(withdrawal)
  const { txHash } = await withdrawalRecords.one(flow.shop.db, { id: withdrawal.id }, 'txHash')
  // The dearest one is mined, so the node has taken each replacement.
  expect(txHash).toBe(attempts.at(-1)?.hash)
  expect(await flow.node.dev.balanceOf(withdrawal.recipient, undefined)).toBe(1_980_000_000_000_000n)
  await flow.expectRightBooks()
})

it.each([legacyPriceMax + 1n, 10n ** 30n])(
  'a node that asks for %s, which is above the maximum, gets nothing signed',
  async (priceMinor) => {
    const withdrawal = await order(flow.assets.coin, '0.002')
    const before = (await flow.signer.signer.attest()).logEntries
    const readFees = async () => ({ baseFeePerGas: 0n, maxPriorityFeePerGas: priceMinor })
    const engine = await flow.engine({ sender: altered(flow.sender, { readFees }) })
    for (let blocks = 0; blocks < 3; blocks += 1) {
      await engine.settle()
      await flow.mine()
    }
    expect((await flow.signer.signer.attest()).logEntries).toBe(before)
    expect(await readWaits(flow.shop.db)).toMatchObject([
      { cause: 'price', detail: `the gas price of ${priceMinor} per unit of gas is above the ceiling` },
    ])
    await complete(withdrawal)
  },
)

it('nothing is asked of a signer whose policy says that there are base fees, until the policy is corrected', async () => {
  const { policy } = flow.signer.options
  const { feeModel: _, ...priced } = required(policy.networks['oldnet'], 'the network')
  await flow.signer.signer.usePolicy({ ...policy, networks: { oldnet: priced } })
  const withdrawal = await order(flow.assets.token, '5')
  const engine = await flow.engine()
  for (let blocks = 0; blocks < 3; blocks += 1) {
    await engine.settle()
    await flow.mine()
  }
  expect(await flow.stateOf(withdrawal)).toBe('pending')
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).toEqual(['fee-model'])
  await flow.signer.signer.usePolicy(policy)
  await complete(withdrawal)
})

it('an order that the signer refuses for its other policy waits, and is paid once the policy is corrected', async () => {
  const { policy } = flow.signer.options
  const { feeModel: _, ...priced } = required(policy.networks['oldnet'], 'the network')
  const engine = await flow.engine()
  await engine.settle()
  const withdrawal = await order(flow.assets.coin, '0.002')
  // The engine knows the policy of before, and asks for a transaction of type 0.
  await flow.signer.signer.usePolicy({ ...policy, networks: { oldnet: priced } })
  await engine.settle()
  await flow.mine()
  await engine.settle()
  expect((await readWaits(flow.shop.db)).map(({ cause }) => cause)).toEqual(['fee-model'])
  const { code } = await refusalRecords.one(flow.shop.db, { outgoingTransactionId: withdrawal.id }, 'code')
  expect(code).toBe('not-allowed')
  await flow.signer.signer.usePolicy(policy)
  await complete(withdrawal)
})

it('a stuck payout keeps its fee bumps while the policy of the signer is for another type', async () => {
  const { policy } = flow.signer.options
  const { feeModel: _, ...priced } = required(policy.networks['oldnet'], 'the network')
  const withdrawal = await order(flow.assets.coin, '0.002')
  const engine = await flow.engine()
  await engine.settle()
  const passBlocks = async (by: StoryEngine, blocks: number) => {
    for (let block = 0; block < blocks; block += 1) {
      await setBlockGas(full)
      await flow.mine()
      await setBlockGas(plenty)
      await by.settle()
    }
  }
  const before = (await signedFor(withdrawal)).length
  await flow.signer.signer.usePolicy({ ...policy, networks: { oldnet: priced } })
  await passBlocks(engine, 12)
  expect((await signedFor(withdrawal)).length).toBe(before)
  const { bumps } = await outgoingRecords.one(flow.shop.db, { id: withdrawal.id }, 'bumps')
  expect(bumps).toBeLessThan(2)
  await flow.signer.signer.usePolicy(policy)
  await passBlocks(await flow.engine(), 6)
  expect((await signedFor(withdrawal)).length).toBeGreaterThan(before)
  await complete(withdrawal)
  await flow.expectRightBooks()
})

it('after a restore the payout is adopted from the log of the signer, and paid once', async () => {
  const withdrawal = await order(flow.assets.coin, '0.002')
  await (await flow.engine()).settle()
  const [signed] = await signedFor(withdrawal)
  const entries = (await flow.signer.signer.attest()).logEntries
  const { owner } = flow.database
  await attemptRecords.remove(owner, { outgoingTransactionId: [withdrawal.id] })
  await outgoingRecords.remove(owner, { id: withdrawal.id })
  await signerLogRecords.change(owner, {}, { lastSequence: 0 })
  await complete(withdrawal)
  expect(await signedFor(withdrawal)).toEqual([signed])
  expect((await flow.signer.signer.attest()).logEntries).toBe(entries)
  expect(await flow.node.dev.balanceOf(withdrawal.recipient, undefined)).toBe(1_980_000_000_000_000n)
  await flow.expectRightBooks()
})

describe('the node', () => {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const wallet = account.address.toLowerCase()
  const recipient = `0x${'7a'.repeat(20)}`
  const chargedMinor = 3n * gwei

  const signed = (nonce: number, priceMinor: bigint, amountMinor = 1n) =>
    spendCodecs.legacy.sign(
      {
        chainId: flow.node.network.chainId,
        nonce,
        gasLimit: 21_000n,
        maxFeePerGas: priceMinor,
        maxPriorityFeePerGas: priceMinor,
        spend: { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor },
      },
      wallet,
      async (_, digest) => {
        const { sign } = await import('viem/accounts')
        const { r, s, yParity } = await sign({ hash: digest as Hex, privateKey: key })
        return { r, s, yParity: required(yParity, 'a parity') }
      },
    )

  // Anvil takes any higher price; geth asks for a tenth more, which price-gas.test.ts shows.
  it('takes a replacement at the price that the engine offers, and none at the same price', async () => {
    await flow.node.dev.setBalance(wallet, 10n ** 18n)
    const send = async (priceMinor: bigint, amountMinor: bigint) =>
      flow.sender.broadcast((await signed(0, priceMinor, amountMinor)).raw, never)
    expect(await send(chargedMinor, 1n)).toEqual({ type: 'taken' })
    expect(await send(chargedMinor, 2n)).toMatchObject({ type: 'refused', why: 'underpriced' })
    expect(await send(bumpedMinor(chargedMinor), 2n)).toEqual({ type: 'taken' })
    await flow.node.dev.mine()
  })

  it('shows a sent transaction of type 0 with its bytes, and what it pays', async () => {
    const { raw, txHash } = await signed(1, chargedMinor)
    await flow.sender.broadcast(raw, never)
    await flow.node.dev.mine()
    expect(await flow.sender.readSent(txHash, never)).toEqual({
      txHash,
      raw,
      sender: wallet,
      nonce: 1,
      gasLimit: 21_000n,
      maxFeePerGas: chargedMinor,
      maxPriorityFeePerGas: chargedMinor,
      spend: { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor: 1n },
    })
    expect(await (await untyped()).readSent(txHash, never)).toEqual(await flow.sender.readSent(txHash, never))
  })

  /** A node that states no type for transactions of type 0, as some nodes do. */
  async function untyped() {
    const node = await startAlteredNode(flow.node.url, ({ method }, answer) => {
      if (method !== 'eth_getTransactionByHash' || answer['result'] === null) return answer
      const { type: _, ...result } = answer['result'] as Record<string, unknown>
      return { ...answer, result }
    })
    const sender = openSender({ network: flow.node.network, urls: [node.url], log: silentLog })
    onTestFinished(async () => {
      await sender.close()
      await node.close()
    })
    return sender
  }

  it('one of three that states another price does not set the price', async () => {
    await setPrice(3n * gwei)
    const stated = await flow.sender.readFees(never)
    for (const lie of [0n, legacyPriceMax]) {
      const liar = await startAlteredNode(flow.node.url, ({ method }, answer) =>
        method === 'eth_gasPrice' ? { ...answer, result: quantity(lie) } : answer,
      )
      const urls = [liar.url, flow.node.url, flow.node.url]
      const sender = openSender({ network: flow.node.network, urls, log: silentLog })
      expect(await sender.readFees(never)).toEqual(stated)
      await Promise.all([sender.close(), liar.close()])
    }
  })

  it('may state no price in receipts, as old nodes do: the price of the transaction is then charged', async () => {
    const { raw, txHash } = await signed(2, chargedMinor)
    await flow.sender.broadcast(raw, never)
    await flow.node.dev.mine()
    const [stated] = await flow.sender.readReceipts([txHash], never)
    const old = await startAlteredNode(flow.node.url, ({ method }, answer) => {
      if (method !== 'eth_getTransactionReceipt') return answer
      const { effectiveGasPrice: _, ...result } = answer['result'] as Record<string, unknown>
      return { ...answer, result }
    })
    const sender = openSender({ network: flow.node.network, urls: [old.url], log: silentLog })
    expect(await sender.readReceipts([txHash], never)).toEqual([stated])
    expect(stated?.feeMinor).toBe(21_000n * chargedMinor)
    await Promise.all([sender.close(), old.close()])
  })

  it('may have mined one without a chain id, which is never taken for a payment of an order', async () => {
    const old = await account.signTransaction({
      type: 'legacy',
      nonce: 3,
      gasPrice: chargedMinor,
      gas: 21_000n,
      to: recipient as Hex,
      value: 1n,
    })
    const txHash = String(await flow.node.dev.rpc('eth_sendRawTransaction', old))
    await flow.node.dev.mine()
    const sent = required(await flow.sender.readSent(txHash, never), 'the transaction')
    expect(sent).toMatchObject({ sender: wallet, nonce: 3 })
    expect(sent.spend).toBeUndefined()
    expect(await (await untyped()).readSent(txHash, never)).toEqual(sent)
  })
})
