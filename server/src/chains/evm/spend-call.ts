/** A spend as the one call that its transaction makes, and back. */
import * as AbiFunction from 'ox/AbiFunction'
import type { Hex } from 'ox/Hex'
import { assert } from '../../core/assert.ts'
import type { Spend, TransferAsset } from '../port.ts'
import { create2Deployer, deployedLanes, deployment, gatherFunction } from './sweep-delegate.ts'

export interface SpendCall {
  readonly to: Hex
  readonly amountMinor: bigint
  readonly callBytes: Hex
}

const transferFunction = AbiFunction.from('function transfer(address to, uint256 value)')
const transferSelector = '0xa9059cbb'
/** By which `gather` names the coin. */
const zeroAddress = `0x${'0'.repeat(40)}`

export function callOf(spend: Spend): SpendCall {
  switch (spend.type) {
    case 'pay':
      return payCall(spend.asset, spend.recipient, spend.amountMinor)
    case 'gather': {
      const args = [spend.addresses as Hex[], spend.assets.map(sweptToken)] as const
      return silentCall(spend.delegate, AbiFunction.encodeData(gatherFunction, args))
    }
    case 'deploy':
      return silentCall(create2Deployer, deployment(spend.lanes))
  }
}

/**
 * The spend that makes this call, a gathering without its delegations.
 * @throws Error where no spend does
 */
export function spendOf({ to, amountMinor, callBytes }: SpendCall): Spend {
  if (callBytes === '0x') return { type: 'pay', asset: { type: 'coin' }, recipient: to, amountMinor }
  if (callBytes.startsWith(transferSelector)) {
    const [recipient, value] = AbiFunction.decodeData(transferFunction, callBytes)
    const asset: TransferAsset = { type: 'token', contract: to }
    return { type: 'pay', asset, recipient: recipient.toLowerCase(), amountMinor: value }
  }
  const lanes = to === create2Deployer ? deployedLanes(callBytes) : undefined
  if (lanes !== undefined) return { type: 'deploy', lanes }
  const [addresses, tokens] = AbiFunction.decodeData(gatherFunction, callBytes)
  return {
    type: 'gather',
    delegate: to,
    addresses: addresses.map((address) => address.toLowerCase()),
    assets: tokens.map((token) => sweptAsset(token.toLowerCase())),
    delegations: [],
  }
}

function payCall(asset: TransferAsset, recipient: string, amountMinor: bigint): SpendCall {
  if (asset.type === 'coin') return { to: recipient as Hex, amountMinor, callBytes: '0x' }
  const args = [recipient as Hex, amountMinor] as const
  return silentCall(asset.contract, AbiFunction.encodeData(transferFunction, args))
}

function silentCall(to: string, callBytes: Hex): SpendCall {
  return { to: to as Hex, amountMinor: 0n, callBytes }
}

function sweptToken(asset: TransferAsset): Hex {
  if (asset.type === 'coin') return zeroAddress as Hex
  assert(asset.contract !== zeroAddress, 'a token without a contract')
  return asset.contract as Hex
}

function sweptAsset(token: string): TransferAsset {
  return token === zeroAddress ? { type: 'coin' } : { type: 'token', contract: token }
}
