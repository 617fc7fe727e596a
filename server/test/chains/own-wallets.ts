/** Wallets whose keys belong to the test. They send through the real codec and sender. */
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { afterAll, beforeAll } from 'vitest'
import type { EvmNetwork } from '../../src/chains/evm/evm-networks.ts'
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
import { devNetwork } from './evm-harness.ts'

const keys = new Map<string, Hex>()
export const never = new AbortController().signal
export const coin: TransferAsset = { type: 'coin' }
export const plentyMinor = 10n ** 20n

/** Returns an address whose key is kept for signing. */
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
  const fees = { gasLimit: 1_000_000n, maxFeePerGas: 50n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
  return { chainId: devNetwork.chainId, nonce: 0, ...fees, spend, ...changes }
}

export function signAs(wallet: string, transaction: UnsignedTransaction): Promise<SignedTransaction> {
  return spendCodecs.evm.sign(transaction, wallet, signDigest)
}

export interface Sweeping {
  readonly sender: AccountSender
  /** Returns a wallet with enough coins to pay for gas. */
  richWallet(): Promise<string>
  /** Estimates, signs and sends a transaction with the wallet's next nonce, and mines it alone in a block. */
  send(wallet: string, spend: Spend): Promise<TransactionReceipt>
  /** Deploys the contract through which the hot wallets sweep. The first one pays. */
  deployFor(hotWallets: readonly string[]): Promise<string>
  /**
   * Returns the delegations that are needed for `delegate`. Addresses that are already delegated to it need
   * none.
   */
  delegations(addresses: readonly string[], delegate: string): Promise<readonly Delegation[]>
  /** Sends a sweep from the hot wallet. Before that, delegates the addresses that are not delegated yet. */
  sweep(hotWallet: string, parts: BatchSweep): Promise<TransactionReceipt>
  etherOf(address: string): Promise<bigint>
  tokensOf(contract: string, address: string): Promise<bigint>
}

export interface BatchSweep {
  readonly delegate: string
  readonly addresses: readonly string[]
  readonly assets: readonly TransferAsset[]
}

/** Opens sweeping on the chain of `anvil`, which mines only when the test says so. */
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

export function sweepingOn(
  anvil: Pick<Anvil, 'url' | 'rpc' | 'mine'>,
  network: EvmNetwork = devNetwork,
): Sweeping {
  const sender = openSender({ network, urls: [anvil.url], log: silentLog })
  const send: Sweeping['send'] = async (wallet, spend) => {
    const estimate = await sender.estimateGas(wallet, spend, never)
    if ('error' in estimate) throw new Error(estimate.error)
    const [nonce = 0] = await sender.readNonces([wallet], undefined, never)
    const { raw, txHash } = await signAs(wallet, transactionOf(spend, { nonce, gasLimit: estimate.gas }))
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
    deployFor: async (hotWallets) => {
      await send(required(hotWallets[0], 'hotWallet'), { type: 'deploy', hotWallets })
      return spendCodecs.evm.delegateOf(hotWallets)
    },
    sweep: async (hotWallet, parts) =>
      send(hotWallet, {
        type: 'sweep',
        ...parts,
        delegations: await delegations(parts.addresses, parts.delegate),
      }),
    etherOf: async (address) => BigInt(await anvil.rpc('eth_getBalance', [address, 'latest'])),
    tokensOf: async (contract, address) => {
      const question = { to: contract, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
      return BigInt(await anvil.rpc('eth_call', [question, 'latest']))
    },
  }
}
