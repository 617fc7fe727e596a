/**
 * The address and the deployment of the contract to which deposit addresses are delegated (EIP-7702). Its
 * source is `contracts/SweepDelegate.sol`.
 */
import * as AbiFunction from 'ox/AbiFunction'
import * as AbiParameters from 'ox/AbiParameters'
import * as ContractAddress from 'ox/ContractAddress'
import type { Hex } from 'ox/Hex'
import { assert } from '../../core/assert.ts'
import { sweepCode } from './sweep-code.ts'

/**
 * The deterministic deployer (github.com/Arachnid/deterministic-deployment-proxy). This contract creates
 * another contract from a salt and code.
 */
export const create2Deployer = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
/** Maximum number of hot wallets for which the contract has room. */
const sweepHotWalletsMax = 16

export const gatherFunction = AbiFunction.from('function gather(address[] addresses, address[] tokens)')

const salt: Hex = `0x${'00'.repeat(32)}`
const constructorInputs = [{ name: 'hotWallets', type: 'address[]' }] as const

/**
 * Returns the address of the sweep contract that these hot wallets may call. The address follows from the
 * contract's creation code (CREATE2, EIP-1014).
 */
export function sweepDelegateOf(hotWallets: readonly string[]): string {
  const bytecode = initCode(hotWallets)
  return ContractAddress.fromCreate2({ from: create2Deployer, salt, bytecode }).toLowerCase()
}

/** Returns the call data with which the deployer creates the contract: the salt and the creation code. */
export function deployment(hotWallets: readonly string[]): Hex {
  return `${salt}${initCode(hotWallets).slice(2)}`
}

/** Returns the hot wallets for which the call data deploys the contract; undefined for other call data. */
export function deployedHotWallets(callBytes: Hex): readonly string[] | undefined {
  const start = `${salt}${sweepCode.slice(2)}`
  if (!callBytes.startsWith(start)) return undefined
  const [hotWallets] = AbiParameters.decode(constructorInputs, `0x${callBytes.slice(start.length)}`)
  return hotWallets.map((hotWallet) => hotWallet.toLowerCase())
}

function initCode(hotWallets: readonly string[]): Hex {
  assert(
    hotWallets.length > 0 && hotWallets.length <= sweepHotWalletsMax,
    `a sweep contract for ${hotWallets.length} hot wallets`,
  )
  return `${sweepCode}${AbiParameters.encode(constructorInputs, [hotWallets as Hex[]]).slice(2)}`
}
