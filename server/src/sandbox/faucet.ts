/**
 * Pays test money as a customer would, for people who try a sandbox. The transactions are real transactions
 * of the dev chain, sent from accounts that do not belong to Coffer.
 */
import * as AbiFunction from 'ox/AbiFunction'
import { formatDecimal } from '../core/money.ts'
import { callLitecoin, faucetWallet, walletUrl } from './litecoin-call.ts'
import { callNode } from './node-call.ts'
import { sendTransaction } from './send-transaction.ts'

export interface DevNodes {
  /** The URLs of the dev chains of EVM networks, by network. */
  readonly evmUrls: ReadonlyMap<string, string>
  /** Undefined if the sandbox has no Litecoin chain of its own. */
  readonly litecoinUrl: string | undefined
}

export interface FaucetPayment {
  readonly network: string
  /** The token's contract; undefined for the network's own coin. */
  readonly contract: string | undefined
  readonly decimals: number
  readonly to: string
  readonly amountMinor: bigint
}

/** Index of dev account 1. The account holds test tokens and does not belong to Coffer. */
const payerIndex = 1
const gas = '0x30000'

/**
 * Sends a payment and returns the hash of its transaction. Does not wait until a block contains the
 * transaction.
 * @throws Error with the node's message if the node rejects the payment
 */
export async function payFromFaucet(
  { evmUrls, litecoinUrl }: DevNodes,
  payment: FaucetPayment,
  signal: AbortSignal,
): Promise<string> {
  const evmUrl = evmUrls.get(payment.network)
  if (evmUrl !== undefined) return payOnDevChain(evmUrl, payment, signal)
  if (payment.network !== 'litecoin' || litecoinUrl === undefined)
    throw new Error(`the sandbox has no chain of its own for ${payment.network}`)
  const amount = formatDecimal(payment.amountMinor, payment.decimals)
  const wallet = walletUrl(litecoinUrl, faucetWallet)
  return String(await callLitecoin(wallet, 'sendtoaddress', [payment.to, amount], signal))
}

async function payOnDevChain(
  nodeUrl: string,
  { contract, to, amountMinor }: FaucetPayment,
  signal: AbortSignal,
): Promise<string> {
  const accounts = await callNode(nodeUrl, 'eth_accounts', [], signal)
  const from: unknown = Array.isArray(accounts) ? accounts[payerIndex] : undefined
  if (typeof from !== 'string') throw new Error('the node has no dev accounts')
  const transaction =
    contract === undefined
      ? { from, to, value: `0x${amountMinor.toString(16)}`, gas }
      : { from, to: contract, data: transferData(to, amountMinor), gas }
  return sendTransaction(nodeUrl, transaction, signal)
}

const transfer = AbiFunction.from('function transfer(address to, uint256 value)')

function transferData(to: string, amountMinor: bigint): string {
  return AbiFunction.encodeData(transfer, [`0x${to.slice(2)}`, amountMinor])
}

/**
 * Mines this number of blocks immediately on an EVM dev chain. The blocks include any pending transactions.
 */
export async function mineBlocks(nodeUrl: string, blocks: number, signal: AbortSignal): Promise<void> {
  await callNode(nodeUrl, 'anvil_mine', [`0x${blocks.toString(16)}`], signal)
}

/**
 * Replaces the last `depth` blocks of an EVM dev chain by empty ones. The transactions of the replaced blocks
 * are lost.
 */
export async function dropBlocks(nodeUrl: string, depth: number, signal: AbortSignal): Promise<void> {
  await callNode(nodeUrl, 'anvil_reorg', [depth, []], signal)
  // After a reorganisation, anvil's clock continues from an old block. Without this call, new payments would
  // seem older than they are.
  await callNode(nodeUrl, 'evm_setTime', [Math.floor(Date.now() / 1000)], signal)
}
