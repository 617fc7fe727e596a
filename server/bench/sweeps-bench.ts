/**
 * Measures the gas for each swept token deposit in two ways. In the first, one transaction sweeps many
 * deposits by means of delegations (EIP-7702). In the second, each deposit needs a top-up and a transfer.
 */
import type { Hex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { networks } from '../src/chains/networks.ts'
import { openSender } from '../src/chains/open-chain.ts'
import type { AccountSender, Spend, TransferAsset } from '../src/chains/port.ts'
import { spendCodecs } from '../src/chains/spend-codecs.ts'
import { assert, required } from '../src/core/assert.ts'
import { silentLog } from '../src/core/log.ts'
import { openBatchCaller, resultsOf } from './batch-calls.ts'
import type { Bench } from './bench.ts'
import { amountMinor } from './fill-shop.ts'
import type { Measurement } from './measurement.ts'
import { type DevNode, openNode } from './open-node.ts'

const never = new AbortController().signal
const counts = [1, 10, 100] as const
const network = { ...networks.ethereum, chainId: 31337 }
const codec = spendCodecs.evm

/** The wallets of a run. Their keys derive from the seed of the run. */
class Wallets {
  readonly #seed: string
  readonly #keys = new Map<string, Hex>()

  constructor(seed: string) {
    this.#seed = seed
  }

  next(): string {
    const privateKey = keccak256(Buffer.from(`sweeps:${this.#seed}:${this.#keys.size}`))
    const address = privateKeyToAccount(privateKey).address.toLowerCase()
    this.#keys.set(address, privateKey)
    return address
  }

  readonly signDigest = async (address: string, digest: string) => {
    const privateKey = required(this.#keys.get(address), 'key')
    const { r, s, yParity = 0 } = await sign({ hash: digest as Hex, privateKey })
    return { r, s, yParity }
  }
}

interface Parts {
  readonly node: DevNode
  readonly sender: AccountSender
  readonly wallets: Wallets
  readonly hotWallet: string
  readonly delegate: string
  readonly token: TransferAsset
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
}

export const sweepsBench: Bench = async ({ seed, note }) => {
  const node = await openNode()
  const caller = openBatchCaller(node.url, 1)
  const sender = openSender({ network, urls: [node.url], log: silentLog })
  try {
    const call = async (method: string, ...params: readonly unknown[]) =>
      resultsOf(await caller.ask([{ method, params }]))[0]
    const parts = await prepare({ node, sender, wallets: new Wallets(seed), call })
    const measurements: Measurement[] = []
    for (const count of counts) {
      note(`sweeping ${count} addresses`)
      measurements.push(...(await measureDelegation(parts, count)), await measureTopUps(parts, count))
    }
    return measurements
  } finally {
    await Promise.all([sender.close(), caller.close()])
    await node.stop()
  }
}

/** Returns a hot wallet that already holds the token, as it does at every sweep except the first. */
async function prepare(parts: Pick<Parts, 'node' | 'sender' | 'wallets' | 'call'>): Promise<Parts> {
  const { node, wallets, call } = parts
  const hotWallet = wallets.next()
  await call('anvil_setBalance', hotWallet, `0x${(10n ** 24n).toString(16)}`)
  const token: TransferAsset = { type: 'token', contract: node.tokens.USDT }
  const prepared = { ...parts, hotWallet, token, delegate: codec.delegateOf([hotWallet]) }
  await send(prepared, [{ from: hotWallet, spend: { type: 'deploy', hotWallets: [hotWallet] } }])
  await node.pay([hotWallet])
  await node.mine()
  return prepared
}

async function measureDelegation(parts: Parts, count: number): Promise<readonly Measurement[]> {
  const { node, hotWallet, delegate, token, wallets } = parts
  const addresses = Array.from({ length: count }, () => wallets.next())
  const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
  const spend = { type: 'sweep', delegate, addresses, assets: [token] } as const
  const measurements: Measurement[] = []
  for (const [name, now] of [
    ['delegated first', delegations],
    ['delegated before', []],
  ] as const) {
    await node.pay(addresses)
    await node.mine()
    const gas = await send(parts, [{ from: hotWallet, spend: { ...spend, delegations: now } }])
    await requireEmpty(parts, addresses)
    measurements.push(perDeposit(`${count} swept by one transaction, ${name}`, gas.used, count, gas.limit))
  }
  return measurements
}

async function measureTopUps(parts: Parts, count: number): Promise<Measurement> {
  const { node, hotWallet, token, wallets } = parts
  const addresses = Array.from({ length: count }, () => wallets.next())
  await node.pay(addresses)
  await node.mine()
  const pay = (asset: TransferAsset, recipient: string, amount: bigint): Spend => ({
    type: 'pay',
    asset,
    recipient,
    amountMinor: amount,
  })
  const topUps = addresses.map((address) => ({
    from: hotWallet,
    spend: pay({ type: 'coin' }, address, 10n ** 17n),
  }))
  const topUp = await send(parts, topUps)
  const directSweeps = addresses.map((from) => ({ from, spend: pay(token, hotWallet, amountMinor) }))
  const directSweep = await send(parts, directSweeps)
  await requireEmpty(parts, addresses)
  return perDeposit(
    `${count} topped up, then forwarded`,
    topUp.used + directSweep.used,
    count,
    directSweep.limit,
  )
}

interface Sent {
  readonly from: string
  readonly spend: Spend
}

interface Gas {
  readonly used: number
  /** Gas limit of each transaction. */
  readonly limit: bigint
}

/** Sends the transactions in one block and returns the gas that all of them used together. */
async function send({ sender, wallets, node, call }: Parts, spends: readonly Sent[]): Promise<Gas> {
  const first = required(spends[0], 'spend')
  const estimate = await sender.estimateGas(first.from, first.spend, never)
  const gas = 'gas' in estimate ? estimate.gas : 0n
  const fees = { gasLimit: gas, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
  const nonces = new Map<string, number>()
  const hashes: string[] = []
  for (const { from, spend } of spends) {
    const [mined = 0] = await sender.readNonces([from], undefined, never)
    const nonce = nonces.get(from) ?? mined
    nonces.set(from, nonce + 1)
    const transaction = { chainId: network.chainId, nonce, ...fees, spend }
    const { raw, txHash } = await codec.sign(transaction, from, wallets.signDigest)
    assert((await sender.broadcast(raw, never)).type === 'taken', 'the node rejected a transaction')
    hashes.push(txHash)
  }
  await node.mine()
  let used = 0
  for (const txHash of hashes) {
    const receipt = (await call('eth_getTransactionReceipt', txHash)) as { gasUsed: string; status: string }
    assert(receipt.status === '0x1', `${txHash} failed`)
    used += Number(receipt.gasUsed)
  }
  return { used, limit: gas }
}

async function requireEmpty({ node, token }: Parts, addresses: readonly string[]): Promise<void> {
  const { height } = await node.chain.readHead(never)
  const balances = await node.chain.readBalances(token, addresses, height, never)
  assert(
    balances.every((balance) => balance === 0n),
    'an address was not swept',
  )
}

function perDeposit(bar: string, used: number, count: number, limit: bigint): Measurement {
  const remark = `${used} gas in total; gas limit of a sweep or payment ${limit}`
  return { bar, measured: used / count, unit: 'gas/deposit', remark }
}
