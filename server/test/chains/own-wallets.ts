/** Wallets of a test's own with their keys, and what they send through the real codec and sender. */
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { afterAll, beforeAll } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import type {
  AccountSender,
  Delegation,
  SignDigest,
  SignedTransaction,
  Spend,
  TransactionReceipt,
  TransferAsset,
  UnsignedTransaction,
} from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { type Anvil, quantity } from '../support/anvil.ts'
import { devNetwork } from './evm-world.ts'

const keys = new Map<string, Hex>()
export const never = new AbortController().signal
export const coin: TransferAsset = { type: 'coin' }
export const plentyMinor = 10n ** 20n

/** An address whose key is kept for signing. */
export function newWallet(): string {
  const key = generatePrivateKey()
  const address = privateKeyToAccount(key).address.toLowerCase()
  keys.set(address, key)
  return address
}

export const signDigest: SignDigest = async (address, digest) => {
  const {
    r,
    s,
    yParity = 0,
  } = await sign({
    hash: digest as Hex,
    privateKey: required(keys.get(address), 'key'),
  })
  return { r, s, yParity }
}

export function token(contract: string): TransferAsset {
  return { type: 'token', contract }
}

export function transactionOf(spend: Spend, changes: Partial<UnsignedTransaction> = {}): UnsignedTransaction {
  const fees = { gas: 1_000_000n, maxFeeMinor: 50n * 10n ** 9n, tipMinor: 10n ** 9n }
  return { chainId: devNetwork.chainId, nonce: 0, ...fees, spend, ...changes }
}

export function signAs(wallet: string, transaction: UnsignedTransaction): Promise<SignedTransaction> {
  return spendCodecs.evm.sign(transaction, wallet, signDigest)
}

export interface Sweeping {
  readonly sender: AccountSender
  /** A wallet that has coins to pay for gas. */
  richWallet(): Promise<string>
  /** Estimates, signs, sends and mines it alone in a block, with the wallet's next nonce. */
  send(wallet: string, spend: Spend): Promise<TransactionReceipt>
  /** Deploys the contract through which `lanes` sweep; the first pays. */
  deployFor(lanes: readonly string[]): Promise<string>
  /** What delegates `address` now, unless it is delegated there already. */
  delegations(addresses: readonly string[], delegate: string): Promise<readonly Delegation[]>
  /** Sweeps as `lane`, delegating what is not. */
  gather(lane: string, parts: Gathering): Promise<TransactionReceipt>
  coinsOf(address: string): Promise<bigint>
  tokensOf(contract: string, address: string): Promise<bigint>
}

export interface Gathering {
  readonly delegate: string
  readonly addresses: readonly string[]
  readonly assets: readonly TransferAsset[]
}

/** Sends to the chain of `anvil`, which mines when told to. */
export function useSweeping(anvil: Anvil): Sweeping {
  let opened: Sweeping | undefined
  beforeAll(() => {
    opened = sweepingOn(anvil)
  })
  afterAll(() => opened?.sender.close())
  return new Proxy({} as Sweeping, {
    get: (_, name) =>
      Reflect.get(required(opened, 'the sender, which is opened before the first test,'), name),
  })
}

export function sweepingOn(anvil: Pick<Anvil, 'url' | 'rpc' | 'mine'>): Sweeping {
  const sender = openSender({ network: devNetwork, urls: [anvil.url], log: silentLog })
  const send: Sweeping['send'] = async (wallet, spend) => {
    const estimate = await sender.estimateGas(wallet, spend, never)
    if ('fault' in estimate) throw new Error(estimate.fault)
    const [nonce = 0] = await sender.readNonces([wallet], undefined, never)
    const { raw, txHash } = await signAs(wallet, transactionOf(spend, { nonce, gas: estimate.gas }))
    const answer = await sender.broadcast(raw, never)
    if (answer.type === 'refused') throw new Error(answer.detail)
    await anvil.mine()
    const [receipt] = await sender.readReceipts([txHash], never)
    return required(receipt, 'receipt')
  }
  const delegations: Sweeping['delegations'] = async (addresses, delegate) => {
    const [delegates, nonces] = await Promise.all([
      sender.readDelegates(addresses, never),
      sender.readNonces(addresses, undefined, never),
    ])
    return addresses.flatMap((address, index) =>
      delegates[index] === delegate ? [] : [{ address, delegate, nonce: nonces[index] ?? 0 }],
    )
  }
  return {
    sender,
    send,
    delegations,
    richWallet: async () => {
      const wallet = newWallet()
      await anvil.rpc('anvil_setBalance', [wallet, quantity(plentyMinor)])
      return wallet
    },
    deployFor: async (lanes) => {
      await send(required(lanes[0], 'lane'), { type: 'deploy', lanes })
      return spendCodecs.evm.delegateOf(lanes)
    },
    gather: async (lane, parts) =>
      send(lane, {
        type: 'gather',
        ...parts,
        delegations: await delegations(parts.addresses, parts.delegate),
      }),
    coinsOf: async (address) => BigInt(await anvil.rpc('eth_getBalance', [address, 'latest'])),
    tokensOf: async (contract, address) => {
      const question = { to: contract, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
      return BigInt(await anvil.rpc('eth_call', [question, 'latest']))
    },
  }
}
