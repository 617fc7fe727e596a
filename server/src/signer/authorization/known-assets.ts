/**
 * Finds the names that the policy gives to EVM networks and their assets. The signer accepts no other names.
 */
import { shippedNetworkOf } from '../../chains/networks.ts'
import type { IntentAsset } from '../../signing/intent.ts'
import { assetPolicyOf, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

interface AccountNetwork {
  isChainId(chainId: number): boolean
  /** Whether blocks have a base fee; undefined if a sandbox does not say, which signs for both kinds. */
  readonly hasBaseFees: boolean | undefined
  /** Undefined for a network that neither the policy nor Coffer names, as a sandbox may have one. */
  readonly coin: { readonly symbol: string } | undefined
}

/** Returns an account network by its name; undefined if the policy has no account network with that name. */
export function accountNetworkOf(policy: Policy, name: string): AccountNetwork | undefined {
  const named = policy.networks[name]
  if (named !== undefined)
    return named.chainId === undefined
      ? undefined
      : {
          isChainId: (chainId) => chainId === named.chainId,
          hasBaseFees: named.feeModel !== 'legacy',
          coin: named.coin,
        }
  const shipped = shippedNetworkOf(name)
  if (policy.unnamed === undefined || shipped?.family === 'utxo') return undefined
  const hasBaseFees = shipped === undefined ? undefined : true
  return { isChainId: policy.unnamed.isChainId, hasBaseFees, coin: shipped?.coin }
}

/**
 * Checks the name of an asset. Limits are stated by name, but the amounts are counted by contract. Each
 * contract must therefore have one name, and each name one contract.
 * @throws Refusal if the policy has another name for the asset.
 * @throws Refusal if the policy neither names the asset nor allows unnamed assets.
 */
export function requireKnownAsset(policy: Policy, network: string, { asset, contract }: IntentAsset): void {
  const called = nameOf(policy, network, contract)
  if (called === asset) return
  const isTaken = called !== undefined || namesOf(policy, network).includes(asset)
  if (isTaken) throw new Refusal('not-as-intended', `${asset} is not the name of ${contract ?? 'the coin'}`)
  if (policy.unnamed === undefined)
    throw new Refusal('not-allowed', `The policy has no asset ${asset} with the contract ${contract}`)
}

/**
 * Returns the policy's name for a contract or, without a contract, for the network's coin; undefined if the
 * policy has no such name.
 */
function nameOf(policy: Policy, network: string, contract: string | null): string | undefined {
  const symbol =
    contract === null
      ? accountNetworkOf(policy, network)?.coin?.symbol
      : assetPolicyOf(policy, network, contract)?.symbol
  return symbol && `${network}/${symbol}`
}

/** Returns all names that the policy gives to assets of a network, including its coin. */
function namesOf(policy: Policy, network: string): readonly (string | undefined)[] {
  const tokens = policy.assets.filter((one) => one.network === network)
  return [nameOf(policy, network, null), ...tokens.map(({ symbol }) => `${network}/${symbol}`)]
}
