/** The payment methods of the operator's own rows. */

import { decimal, usdDecimals } from '../../core/money.ts'
import type { ConfirmationTier, PaymentMethod } from '../payment-methods/payment-method.ts'
import type { OwnNetwork } from './own-network.ts'
import { type OwnToken, tokenName } from './own-token.ts'
import type { OwnRows } from './signed-rows.ts'

/** The coin of an operator's network. */
function coinMethod(row: OwnNetwork, tiers?: readonly ConfirmationTier[]): PaymentMethod {
  const { coin, name: network, methodId: id } = row
  return {
    ...amountsOf(coin),
    id,
    symbol: coin.symbol,
    name: coin.name,
    network,
    asset: `${network}/${coin.symbol}`,
    contract: undefined,
    isCreditable: row.isCreditable,
    confirmationTiers: tiers ?? tiersOf(row),
  }
}

/** A token of the operator. It waits for as many confirmations as the coin of its network. */
function tokenMethod(row: OwnToken, confirmationTiers: readonly ConfirmationTier[]): PaymentMethod {
  const { symbol, name, network, methodId: id, contract, isCreditable } = row
  return {
    ...amountsOf(row),
    id,
    symbol,
    name,
    network,
    asset: tokenName(row),
    contract,
    isCreditable,
    confirmationTiers,
  }
}

function amountsOf(row: Pick<OwnToken, 'decimals' | 'minimum' | 'depositMax' | 'isStable'>) {
  const { decimals, minimum, depositMax, isStable } = row
  return {
    decimals,
    minimumMinor: decimal(minimum, decimals),
    depositMaxMinor: decimal(depositMax, decimals),
    isStable,
    // Nobody has reviewed the code, so a transfer may fail after it was simulated.
    isPlain: false,
    // A missing report of a final block never means that the block is final.
    hasFinality: true,
  }
}

/** Large deposits wait until the nodes report their block as final. */
function tiersOf({ confirmations: [small, medium, large] }: OwnNetwork): readonly ConfirmationTier[] {
  return [
    { uptoUsd: decimal('100', usdDecimals), confirmations: small },
    { uptoUsd: decimal('10000', usdDecimals), confirmations: medium },
    { uptoUsd: undefined, confirmations: large, needsFinality: true },
  ]
}

/** The payment methods of the operator's rows. */
export interface OwnMethods {
  readonly methods: readonly PaymentMethod[]
  /** The ids of those that cannot be used. They are neither followed nor offered. */
  readonly unusable: ReadonlySet<number>
}

/**
 * Returns the payment methods of the operator's rows. One that repeats a shipped method stays known by its id, so
 * that its invoices can be read. The name of the asset in the books then means the shipped method.
 * @param shipped the methods that come with Coffer, whose confirmations a token on their network takes over
 * @param devTiers the confirmations on development chains; undefined on main chains
 */
export function ownMethods(
  { networks, tokens }: Pick<OwnRows, 'networks' | 'tokens'>,
  shipped: readonly PaymentMethod[],
  devTiers: readonly ConfirmationTier[] | undefined,
): OwnMethods {
  const coins = networks.map(({ row }) => coinMethod(row, devTiers))
  const coinOn = (network: string) =>
    [...shipped, ...coins].find((one) => one.network === network && one.contract === undefined)
  const own = [
    ...coins,
    ...tokens.flatMap(({ row }) => {
      const coin = coinOn(row.network)
      return coin === undefined ? [] : [tokenMethod(row, coin.confirmationTiers)]
    }),
  ]
  const conflicting = [...networks, ...tokens].filter(({ conflict }) => conflict !== undefined)
  const unusable = new Set(conflicting.map(({ row }) => row.methodId))
  for (const one of own) if (twinOf(one, shipped) !== undefined) unusable.add(one.id)
  const assets = new Set(shipped.map(({ asset }) => asset))
  const methods = own.map((one) =>
    assets.has(one.asset) ? { ...one, asset: `${one.asset}#${one.id}` } : one,
  )
  return { methods, unusable }
}

/** Returns the shipped method that has the same contract or asset, which an own one never replaces. */
function twinOf({ network, contract, asset }: PaymentMethod, shipped: readonly PaymentMethod[]) {
  return shipped.find((one) => one.asset === asset || (one.network === network && one.contract === contract))
}

/** Returns the ids of the methods that take no new payments: disabled ones, and all on a disabled network. */
export function disabledIds({ networks, tokens }: Pick<OwnRows, 'networks' | 'tokens'>): ReadonlySet<number> {
  const off = new Set(networks.filter(({ isEnabled }) => !isEnabled).map(({ row }) => row.name))
  return new Set(
    [
      ...networks.filter(({ isEnabled }) => !isEnabled),
      ...tokens.filter(({ isEnabled, row }) => !isEnabled || off.has(row.network)),
    ].map(({ row }) => row.methodId),
  )
}
