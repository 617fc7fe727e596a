/** The addresses that payers know, and the payments to them. */
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { ShownAddress } from '../model/model.ts'
import type { EvmSide } from './evm-side.ts'
import { transferred } from './fixed.ts'
import type { Installation } from './installation.ts'
import type { UtxoSide } from './utxo-side.ts'

/** Sends a payment from an outside address. The next block can include it. */
export function pay(world: Installation, asset: ModelAsset, recipient: string, amountMinor: bigint): void {
  const side = world.evmSides.find(({ name }) => name === asset.network)
  if (side === undefined) utxoSideOf(world).pay([{ recipient, amountMinor }])
  else side.pay({ asset: transferred(asset.contract), recipient, amountMinor })
}

/** Chooses the amount of a payment. Usually it is the requested amount, and at least one unit. */
export function chooseAmount(dice: Dice, askedMinor: bigint): bigint {
  const share = dice.weighted({ '100': 6, '50': 2, '130': 2, '1': 1 })
  return (askedMinor * BigInt(share)) / 100n || 1n
}

/** Returns the addresses of invoices in an asset of a network that were shown to payers. */
export function addressesOn(world: Installation, network: string): readonly ShownAddress[] {
  return world.model.shown.filter(({ methodId }) => assetOf(world, methodId).network === network)
}

/** Returns an address on the network of an asset that nothing was ever sent to. */
export function newRecipient(world: Installation, { family }: ModelAsset, dice: Dice): string {
  if (family === 'utxo') return utxoSideOf(world).newAddress(dice)
  const bytes = Buffer.alloc(20)
  dice.fill(bytes)
  return `0x${bytes.toString('hex')}`
}

/** @throws Error if the installation does not use this EVM network */
export function evmSideOf({ evmSides }: Installation, network: string): EvmSide {
  return required(
    evmSides.find(({ name }) => name === network),
    `the EVM network ${network}`,
  )
}

export function utxoSideOf({ utxoSide }: Installation): UtxoSide {
  return required(utxoSide, 'a UTXO network')
}

export function assetOf(world: Installation, methodId: number): ModelAsset {
  return required(
    world.assets.find((asset) => asset.methodId === methodId),
    'the asset of a method',
  )
}
