/** What the policy calls networks of accounts, and what moves on them: no other name is believed. */
import { isNetworkName, networks } from '../../chains/networks.ts'
import type { IntentAsset } from '../../signing/intent.ts'
import { assetPolicyOf, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

interface AccountNetwork {
  readonly chainIds: readonly number[]
  readonly coin: { readonly symbol: string }
}

/** A network whose senders count their transactions; undefined where the policy has none of that name. */
export function accountNetworkOf(policy: Policy, name: string): AccountNetwork | undefined {
  const named = policy.networks[name]
  if (named !== undefined)
    return named.chainId === undefined ? undefined : { chainIds: [named.chainId], coin: named.coin }
  const shipped = isNetworkName(name) ? networks[name] : undefined
  if (policy.unnamed === undefined || shipped?.family !== 'evm') return undefined
  return { chainIds: policy.unnamed.chainIds, coin: shipped.coin }
}

/**
 * A contract has one name, and a name one contract: limits are told by name, and counted by contract.
 * @throws Refusal where the policy calls it something else, or does not name it
 */
export function requireKnownAsset(policy: Policy, network: string, { asset, contract }: IntentAsset): void {
  const called = nameOf(policy, network, contract)
  if (called === asset) return
  const isTaken = called !== undefined || namesOf(policy, network).includes(asset)
  if (isTaken)
    throw new Refusal('not-as-intended', `${asset} is not what ${contract ?? 'the coin'} is called`)
  if (policy.unnamed === undefined)
    throw new Refusal('not-allowed', `The policy has no asset ${asset} with the contract ${contract}`)
}

/** What the policy calls the coin, or a contract; undefined where it does not name it. */
function nameOf(policy: Policy, network: string, contract: string | null): string | undefined {
  const symbol =
    contract === null
      ? accountNetworkOf(policy, network)?.coin.symbol
      : assetPolicyOf(policy, network, contract)?.symbol
  return symbol && `${network}/${symbol}`
}

/** All that the policy gives to something on a network, its coin's included. */
function namesOf(policy: Policy, network: string): readonly (string | undefined)[] {
  const tokens = policy.assets.filter((one) => one.network === network)
  return [nameOf(policy, network, null), ...tokens.map(({ symbol }) => `${network}/${symbol}`)]
}
