/** Estimates the gas of a spend through one node, even if the spend's delegations are not signed yet. */

import type { Hex } from 'ox/Hex'
import { call, quantity, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { NodeError, type Spend } from '../port.ts'
import { amountOf, codeOf } from './answers.ts'
import { wouldFail } from './broadcast-errors.ts'
import { delegationPrefix } from './encoding/account-code.ts'
import type { JointCalls } from './joint-calls.ts'
import { callOf, type SpendCall } from './spend-call.ts'
import { create2Deployer } from './sweep-delegate.ts'

export type GasEstimate = { readonly gas: bigint } | { readonly error: string }

/**
 * Gas of each authorization (EIP-7702). Half of the gas is refunded if the address already exists on the
 * chain.
 */
const gasPerDelegation = 25_000n

/**
 * Estimates the gas that `spend` uses. The delegations of a sweep are not signed yet, so state overrides show
 * the addresses to the node as already delegated. The gas of delegating is then added. Another override gives
 * the sender a very high balance, so that a low balance does not make the estimate fail. Callers check the
 * sender's balance themselves.
 */
export async function estimateGas(
  calls: JointCalls,
  sender: string,
  spend: Spend,
  signal: AbortSignal,
): Promise<GasEstimate> {
  if (spend.type === 'deploy' && !(await hasDeployer(calls, signal)))
    return { error: `the deterministic deployer ${create2Deployer} is not on this chain` }
  const delegations = spend.type === 'sweep' ? spend.delegations : []
  const added = gasPerDelegation * BigInt(delegations.length)
  const request = requestOf(sender, callOf(spend))
  const overrides: Record<string, object> = { [sender]: { balance: plenty } }
  for (const { address, delegate } of delegations) overrides[address] = { code: delegatedCode(delegate) }
  const [answer] = await calls.ask([call('eth_estimateGas', request, 'latest', overrides)], signal)
  if (!isUnknownParameter(answer)) return readEstimate(answer, added)
  if (spend.type === 'sweep' && delegations.length > 0) return { gas: added + batchSweepGas(spend) }
  const [plain] = await calls.ask([call('eth_estimateGas', request, 'latest')], signal)
  return readEstimate(plain, added)
}

/**
 * Decides whether the deterministic deployer exists on the chain. Without the deployer, a deployment would be
 * a call to an address without code, which succeeds and does nothing.
 */
async function hasDeployer(calls: JointCalls, signal: AbortSignal): Promise<boolean> {
  const [answer] = await calls.ask([call('eth_getCode', create2Deployer, 'latest')], signal)
  return codeOf(resultOf(answer, 'eth_getCode')) !== '0x'
}

const plenty = quantity(2n ** 100n)

function requestOf(sender: string, { to, amountMinor, callBytes }: SpendCall): object {
  return { from: sender, to, value: quantity(amountMinor), data: callBytes }
}

function delegatedCode(delegate: string): Hex {
  return `${delegationPrefix}${delegate.slice(2)}`
}

/**
 * Decides whether the node lacks state overrides. Such a node rejects the third parameter as invalid
 * (-32602).
 */
function isUnknownParameter(answer: RpcAnswer | undefined): boolean {
  return answer?.error?.code === -32602
}

/** Parses an estimate and adds `added` to its gas. @throws NodeError if the node cannot estimate */
function readEstimate(answer: RpcAnswer | undefined, added: bigint): GasEstimate {
  if (answer === undefined) throw new NodeError('eth_estimateGas was not answered')
  if (answer.error === undefined) return { gas: amountOf(answer.result, 'estimate') + added }
  const { message, code } = answer.error
  if (wouldFail(answer.error)) return { error: message }
  throw new NodeError(`eth_estimateGas failed: ${message} (${code})`)
}

/**
 * Gas of a sweep: `start` for the transaction, `address` for each address, `token` for each token of an
 * address. `reserve` and `tokenReserve` are the gas that the contract requires to be left at the end. All
 * values exceed what tokens with expensive transfers use.
 */
const batchSweepGasOf = {
  start: 40_000n,
  address: 25_000n,
  token: 80_000n,
  reserve: 60_000n,
  tokenReserve: 325_000n,
}

/**
 * Returns an amount of gas that suffices for a sweep. Used for nodes without state overrides, which cannot
 * estimate the sweep.
 */
function batchSweepGas({ addresses, assets }: Extract<Spend, { readonly type: 'sweep' }>): bigint {
  const { start, address, token, reserve, tokenReserve } = batchSweepGasOf
  const tokens = BigInt(assets.length)
  return (
    start + BigInt(addresses.length) * (address + tokens * token) + 2n * (reserve + tokens * tokenReserve)
  )
}
