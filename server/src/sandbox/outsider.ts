/** A customer with test money, for whoever tries a sandbox out: real transactions, from accounts that are no one's of Coffer. */
import * as AbiFunction from 'ox/AbiFunction'
import { formatDecimal } from '../core/money.ts'
import { callLitecoin, outsidersWallet, walletUrl } from './litecoin-call.ts'
import { callNode } from './node-call.ts'

export interface DevNodes {
  readonly nodeUrl: string
  /** Undefined where the sandbox has no Litecoin chain of its own. */
  readonly litecoinUrl: string | undefined
}

export interface OutsidersPayment {
  readonly network: string
  /** Undefined for the network's own coin. */
  readonly contract: string | undefined
  readonly decimals: number
  readonly to: string
  readonly amountMinor: bigint
}

/** Dev account 1, which holds test tokens and belongs to an outsider. */
const payerIndex = 1
const gas = '0x30000'

/** Sends a payment and returns its hash; it is not mined yet. @throws Error with the node's words when it refuses. */
export async function payAsOutsider(
  { nodeUrl, litecoinUrl }: DevNodes,
  payment: OutsidersPayment,
  signal: AbortSignal,
): Promise<string> {
  if (payment.network === 'ethereum') return payOnDevChain(nodeUrl, payment, signal)
  if (payment.network !== 'litecoin' || litecoinUrl === undefined)
    throw new Error(`the sandbox has no chain of its own for ${payment.network}`)
  const amount = formatDecimal(payment.amountMinor, payment.decimals)
  const wallet = walletUrl(litecoinUrl, outsidersWallet)
  return String(await callLitecoin(wallet, 'sendtoaddress', [payment.to, amount], signal))
}

async function payOnDevChain(
  nodeUrl: string,
  { contract, to, amountMinor }: OutsidersPayment,
  signal: AbortSignal,
): Promise<string> {
  const accounts = await callNode(nodeUrl, 'eth_accounts', [], signal)
  const from: unknown = Array.isArray(accounts) ? accounts[payerIndex] : undefined
  if (typeof from !== 'string') throw new Error('the node has no dev accounts')
  const transaction =
    contract === undefined
      ? { from, to, value: `0x${amountMinor.toString(16)}`, gas }
      : { from, to: contract, data: transferData(to, amountMinor), gas }
  return String(await callNode(nodeUrl, 'eth_sendTransaction', [transaction], signal))
}

const transfer = AbiFunction.from('function transfer(address to, uint256 value)')

function transferData(to: string, amountMinor: bigint): string {
  return AbiFunction.encodeData(transfer, [`0x${to.slice(2)}`, amountMinor])
}

/** Mines empty blocks, or blocks with what waits, at once. */
export async function mineBlocks({ nodeUrl }: DevNodes, blocks: number, signal: AbortSignal): Promise<void> {
  await callNode(nodeUrl, 'anvil_mine', [`0x${blocks.toString(16)}`], signal)
}

/** Puts empty blocks in place of the last ones: what was in them is gone, as if it had never been sent. */
export async function dropBlocks({ nodeUrl }: DevNodes, depth: number, signal: AbortSignal): Promise<void> {
  await callNode(nodeUrl, 'anvil_reorg', [depth, []], signal)
  // Its clock goes on from the old block; payments would seem to come early.
  await callNode(nodeUrl, 'evm_setTime', [Math.floor(Date.now() / 1000)], signal)
}
