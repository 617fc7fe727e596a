/** The contract to which deposit addresses are delegated (EIP-7702), `contracts/SweepDelegate.sol`. */
import * as AbiFunction from 'ox/AbiFunction'
import * as AbiParameters from 'ox/AbiParameters'
import * as ContractAddress from 'ox/ContractAddress'
import type { Hex } from 'ox/Hex'
import { assert } from '../../core/assert.ts'
import { sweepCode } from './sweep-code.ts'

/** The deterministic deployer (github.com/Arachnid/deterministic-deployment-proxy): salt and code in, contract out. */
export const create2Deployer = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
/** As many as the contract has room for. */
const sweepLanesMax = 16

export const gatherFunction = AbiFunction.from('function gather(address[] addresses, address[] tokens)')

const salt: Hex = `0x${'00'.repeat(32)}`
const constructorInputs = [{ name: 'lanes', type: 'address[]' }] as const

/** Where the contract lies that these lanes may call, by the code itself (EIP-1014). */
export function sweepDelegateOf(lanes: readonly string[]): string {
  const bytecode = initCode(lanes)
  return ContractAddress.fromCreate2({ from: create2Deployer, salt, bytecode }).toLowerCase()
}

/** What the deployer is sent. */
export function deployment(lanes: readonly string[]): Hex {
  return `${salt}${initCode(lanes).slice(2)}`
}

/** The lanes of a deployment; undefined where it deploys anything else. */
export function deployedLanes(callBytes: Hex): readonly string[] | undefined {
  const start = `${salt}${sweepCode.slice(2)}`
  if (!callBytes.startsWith(start)) return undefined
  const [lanes] = AbiParameters.decode(constructorInputs, `0x${callBytes.slice(start.length)}`)
  return lanes.map((lane) => lane.toLowerCase())
}

function initCode(lanes: readonly string[]): Hex {
  assert(lanes.length > 0 && lanes.length <= sweepLanesMax, `a sweep contract for ${lanes.length} lanes`)
  return `${sweepCode}${AbiParameters.encode(constructorInputs, [lanes as Hex[]]).slice(2)}`
}
