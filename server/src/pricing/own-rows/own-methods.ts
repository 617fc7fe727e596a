/** The payment methods of the operator's own rows. */

import { required } from '../../core/assert.ts'
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

/**
 * Returns the payment methods of the operator's rows.
 * @param shipped the methods that come with Coffer, whose confirmations a token on their network takes over
 * @param devTiers the confirmations on development chains; undefined on main chains
 */
export function ownMethods(
  { networks, tokens }: Pick<OwnRows, 'networks' | 'tokens'>,
  shipped: readonly PaymentMethod[],
  devTiers: readonly ConfirmationTier[] | undefined,
): readonly PaymentMethod[] {
  const coins = networks.map(({ row }) => coinMethod(row, devTiers))
  const tiersOn = (network: string) =>
    required(
      [...shipped, ...coins].find((one) => one.network === network && one.contract === undefined),
      `the coin of ${network}`,
    ).confirmationTiers
  return [...coins, ...tokens.map(({ row }) => tokenMethod(row, tiersOn(row.network)))]
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
