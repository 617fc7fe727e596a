/** Converts a spend into the one call that its EVM transaction makes, and converts such a call back. */
import * as AbiFunction from 'ox/AbiFunction'
import type { Hex } from 'ox/Hex'
import { assert } from '../../core/assert.ts'
import type { Spend, TransferAsset } from '../port.ts'
import { create2Deployer, deployedHotWallets, deployment, gatherFunction } from './sweep-delegate.ts'

export interface SpendCall {
  readonly to: Hex
  readonly amountMinor: bigint
  readonly callBytes: Hex
}

const transferFunction = AbiFunction.from('function transfer(address to, uint256 value)')
const transferSelector = '0xa9059cbb'
/** In calls of the sweep contract's function `gather`, this address stands for the coin. */
const zeroAddress = `0x${'0'.repeat(40)}`

export function callOf(spend: Spend): SpendCall {
  switch (spend.type) {
    case 'pay':
      return payCall(spend.asset, spend.recipient, spend.amountMinor)
    case 'sweep': {
      const args = [spend.addresses as Hex[], spend.assets.map(sweptToken)] as const
      return silentCall(spend.delegate, AbiFunction.encodeData(gatherFunction, args))
    }
    case 'deploy':
      return silentCall(create2Deployer, deployment(spend.hotWallets))
  }
}

/**
 * Returns the spend that makes this call. A sweep is returned without delegations, because these are not part
 * of the call.
 * @throws Error if no spend makes this call
 */
export function spendOf({ to, amountMinor, callBytes }: SpendCall): Spend {
  if (callBytes === '0x') return { type: 'pay', asset: { type: 'coin' }, recipient: to, amountMinor }
  if (callBytes.startsWith(transferSelector)) {
    const [recipient, value] = AbiFunction.decodeData(transferFunction, callBytes)
    const asset: TransferAsset = { type: 'token', contract: to }
    return { type: 'pay', asset, recipient: recipient.toLowerCase(), amountMinor: value }
  }
  const hotWallets = to === create2Deployer ? deployedHotWallets(callBytes) : undefined
  if (hotWallets !== undefined) return { type: 'deploy', hotWallets }
  const [addresses, tokens] = AbiFunction.decodeData(gatherFunction, callBytes)
  return {
    type: 'sweep',
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
