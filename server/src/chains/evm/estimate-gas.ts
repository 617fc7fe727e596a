import type { Hex } from 'ox/Hex'
import { call, quantity, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { NodeError, type Spend } from '../port.ts'
import { amountOf, codeOf } from './answers.ts'
import type { JointCalls } from './joint-calls.ts'
import { wouldFail } from './refusals.ts'
import { callOf, type SpendCall } from './spend-call.ts'
import { create2Deployer } from './sweep-delegate.ts'

export type GasEstimate = { readonly gas: bigint } | { readonly fault: string }

/** EIP-7702, for each authorization; half of it comes back where the address has been used before. */
const gasPerDelegation = 25_000n

/**
 * The gas that `spend` takes. Addresses that it delegates first are shown to the node as delegated already (they are not
 * signed yet), and what delegating costs is added. The sender is shown as rich in coins: whether it has enough is another
 * question, with another remedy.
 */
export async function estimateGas(
  calls: JointCalls,
  sender: string,
  spend: Spend,
  signal: AbortSignal,
): Promise<GasEstimate> {
  if (spend.type === 'deploy' && !(await hasDeployer(calls, signal)))
    return { fault: `the deterministic deployer ${create2Deployer} is not on this chain` }
  const delegations = spend.type === 'gather' ? spend.delegations : []
  const added = gasPerDelegation * BigInt(delegations.length)
  const request = requestOf(sender, callOf(spend))
  const overrides: Record<string, object> = { [sender]: { balance: plenty } }
  for (const { address, delegate } of delegations) overrides[address] = { code: delegatedCode(delegate) }
  const [answer] = await calls.ask([call('eth_estimateGas', request, 'latest', overrides)], signal)
  if (!isUnknownParameter(answer)) return readEstimate(answer, added)
  if (spend.type === 'gather' && delegations.length > 0) return { gas: added + gatherGas(spend) }
  const [plain] = await calls.ask([call('eth_estimateGas', request, 'latest')], signal)
  return readEstimate(plain, added)
}

/** Without it a deployment would be a payment of nothing to nobody, and succeed. */
async function hasDeployer(calls: JointCalls, signal: AbortSignal): Promise<boolean> {
  const [answer] = await calls.ask([call('eth_getCode', create2Deployer, 'latest')], signal)
  return codeOf(resultOf(answer, 'eth_getCode')) !== '0x'
}

const plenty = quantity(2n ** 100n)

function requestOf(sender: string, { to, amountMinor, callBytes }: SpendCall): object {
  return { from: sender, to, value: quantity(amountMinor), data: callBytes }
}

/** EIP-7702: what stands as code at a delegated address. */
export const delegationPrefix = '0xef0100'

function delegatedCode(delegate: string): Hex {
  return `${delegationPrefix}${delegate.slice(2)}`
}

/** A node that takes no state overrides here counts the parameters, or does not understand the third. */
function isUnknownParameter(answer: RpcAnswer | undefined): boolean {
  return answer?.refusal?.code === -32602
}

/** @throws NodeError where the node cannot tell */
function readEstimate(answer: RpcAnswer | undefined, added: bigint): GasEstimate {
  if (answer === undefined) throw new NodeError('eth_estimateGas was not answered')
  if (answer.refusal === undefined) return { gas: amountOf(answer.result, 'estimate') + added }
  const { message, code } = answer.refusal
  if (wouldFail(answer.refusal)) return { fault: message }
  throw new NodeError(`eth_estimateGas was refused: ${message} (${code})`)
}

/** For a transaction, for an address in it, and for a token there: above what tokens with dear transfers take. */
const gatherGasOf = {
  start: 40_000n,
  address: 25_000n,
  token: 80_000n,
  reserve: 60_000n,
  tokenReserve: 325_000n,
}

/** Enough for a gathering, for nodes that cannot try it; the reserve is what the contract wants left at the end. */
function gatherGas({ addresses, assets }: Extract<Spend, { readonly type: 'gather' }>): bigint {
  const { start, address, token, reserve, tokenReserve } = gatherGasOf
  const tokens = BigInt(assets.length)
  return (
    start + BigInt(addresses.length) * (address + tokens * token) + 2n * (reserve + tokens * tokenReserve)
  )
}
