/** Asks a node what a token's contract is and does, before an operator adds the token. */
import * as AbiFunction from 'ox/AbiFunction'
import type { Hex } from 'ox/Hex'
import { call } from '../../json-rpc.ts'
import { keccakOfHex } from '../encoding/keccak.ts'
import { ProbeCalls } from './probe-calls.ts'
import { transferProbeCode } from './transfer-probe-code.ts'

export interface TokenFindings {
  readonly hasCode: boolean
  /** The hash of the code, by which the answers of nodes are compared. */
  readonly codeHash: string | undefined
  readonly decimals: number | undefined
  readonly symbol: string | undefined
  readonly name: string | undefined
  /** The contract whose code runs, if the token is a proxy of EIP-1967, whose owner can replace the code. */
  readonly implementation: string | undefined
  /** Whether the token is paused; undefined if it cannot be paused in the usual way. */
  readonly isPaused: boolean | undefined
  readonly transfer: TransferFinding
}

/**
 * Whether a transfer delivers what it says. `not-tried` means that no account could be given a balance: nothing is
 * known then.
 */
export type TransferFinding =
  | { readonly type: 'exact' | 'refused' | 'not-tried' }
  | {
      readonly type: 'other'
      readonly askedMinor: bigint
      readonly sentMinor: bigint
      readonly deliveredMinor: bigint
    }

const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const beaconSlot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** The slot of the balances in OpenZeppelin's ERC20Upgradeable since version 5 (ERC-7201). */
const openZeppelinSlot = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
const plainSlots = 51
/** Most tokens are found in the first request. Hosted nodes charge for each call, so not all are sent at once. */
const slotsPerRequest = 26

const holder = `0x${'a1'.repeat(20)}` as const
const recipient = `0x${'b2'.repeat(20)}` as const
const balanceOf = AbiFunction.from('function balanceOf(address) view returns (uint256)')
const probe = AbiFunction.from(
  'function probe(address token, address recipient, uint256 amount) returns (bool isAccepted, uint256 sent, uint256 delivered)',
)

/**
 * Asks one node about a contract.
 * @throws NodeError if the node does not answer
 */
export async function probeToken(url: string, contract: string, signal: AbortSignal): Promise<TokenFindings> {
  const calls = new ProbeCalls(url, signal)
  const read = (selector: string) => call('eth_call', { to: contract, data: selector }, 'latest')
  const stored = (slot: string) => call('eth_getStorageAt', contract, slot, 'latest')
  try {
    const [code, decimals, paused, symbol, name, ...implementations] = await calls.askEachHex([
      call('eth_getCode', contract, 'latest'),
      read('0x313ce567'),
      read('0x5c975abb'),
      read('0x95d89b41'),
      read('0x06fdde03'),
      stored(implementationSlot),
      stored(beaconSlot),
    ])
    return {
      hasCode: code !== undefined,
      codeHash: code && keccakOfHex(code.slice(2)).slice(2),
      decimals: decimals === undefined || BigInt(decimals) > 255n ? undefined : Number(decimals),
      symbol: textOf(symbol),
      name: textOf(name),
      implementation: implementationIn(implementations),
      isPaused: paused?.length === 66 ? BigInt(paused) !== 0n : undefined,
      transfer: await tryTransfer(calls, contract as Hex),
    }
  } finally {
    await calls.close()
  }
}

function implementationIn(stored: readonly (Hex | undefined)[]): string | undefined {
  const found = stored.find((one) => one !== undefined && BigInt(one) !== 0n)
  return found && `0x${found.slice(-40)}`
}

/** Reads a text as the ABI returns it, or as the 32 bytes that old tokens return. */
function textOf(result: Hex | undefined): string | undefined {
  if (result === undefined) return undefined
  const bytes = Buffer.from(result.slice(2), 'hex')
  if (bytes.length === 32) return clean(bytes)
  const length = bytes.length < 64 ? 0 : Number(BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`))
  return length > bytes.length - 64 ? undefined : clean(bytes.subarray(64, 64 + length))
}

/** Keeps what people can read. A token's own name may contain anything. */
function clean(bytes: Buffer): string | undefined {
  const text = bytes
    .toString('utf8')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  return text === '' ? undefined : text.slice(0, 60)
}

/**
 * Lets an account that has a balance by a state override make a transfer in `eth_call`. Some tokens keep their
 * balances where they cannot be found; their transfers are not tried.
 */
async function tryTransfer(calls: ProbeCalls, token: Hex): Promise<TransferFinding> {
  const amountMinor = 1_000_003n
  const override = await findBalanceSlot(calls, token, 2n * amountMinor)
  if (override === undefined) return { type: 'not-tried' }
  const data = AbiFunction.encodeData(probe, [token, recipient, amountMinor])
  const overrides = { [token]: override, [holder]: { code: transferProbeCode } }
  const answer = await calls.askHex('eth_call', { to: holder, data, gas: '0x4c4b40' }, 'latest', overrides)
  if (answer === undefined) return { type: 'not-tried' }
  const [isAccepted, sentMinor, deliveredMinor] = AbiFunction.decodeResult(probe, answer, { as: 'Array' })
  if (!isAccepted) return { type: 'refused' }
  if (sentMinor === amountMinor && deliveredMinor === amountMinor) return { type: 'exact' }
  return { type: 'other', askedMinor: amountMinor, sentMinor, deliveredMinor }
}

/** Finds where the token keeps the holder's balance: `balanceOf` must then report the amount written there. */
async function findBalanceSlot(calls: ProbeCalls, token: Hex, amountMinor: bigint) {
  const data = AbiFunction.encodeData(balanceOf, [holder])
  const overrides = slotsOf(holder).map((slot) => ({ stateDiff: { [slot]: word(amountMinor) } }))
  for (let from = 0; from < overrides.length; from += slotsPerRequest) {
    const tried = overrides.slice(from, from + slotsPerRequest)
    const answers = await calls.askEachHex(
      tried.map((override) => call('eth_call', { to: token, data }, 'latest', { [token]: override })),
    )
    const found = answers.findIndex((answer) => answer?.length === 66 && BigInt(answer) === amountMinor)
    if (found >= 0) return tried[found]
  }
  return undefined
}

/** The slots of a mapping by account, as Solidity and as Vyper compute them. */
function slotsOf(account: string): readonly Hex[] {
  const key = account.slice(2).padStart(64, '0')
  const bases = [openZeppelinSlot, ...Array.from({ length: plainSlots }, (_, index) => BigInt(index))]
  return bases.flatMap((base) => {
    const at = word(base).slice(2)
    return [keccakOfHex(key + at), keccakOfHex(at + key)]
  })
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
