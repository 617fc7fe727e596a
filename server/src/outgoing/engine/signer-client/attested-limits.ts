/**
 * The limits of the signer's policy, as the signer attested them. Planning keeps within these limits. Pure.
 */
import type { Network } from '../../../chains/networks.ts'
import type { Intent, IntentAsset } from '../../../signing/intent.ts'
import type { AttestedLimits } from '../../../signing/signer-port.ts'

/** The name of an asset in this service, and its number of decimals. */
export interface CountedAsset {
  /** The name in the form `<network>/<symbol>`. */
  readonly asset: string
  readonly decimals: number
}

/**
 * Returns the maximum cost of one transaction on a network; undefined if the signer attested no limits, and 0
 * if its policy does not cover the network.
 */
export function feeMaxMinor(limits: AttestedLimits | undefined, network: string): bigint | undefined {
  if (limits === undefined) return undefined
  const named = limits.networks.find(({ name }) => name === network)
  return (named ?? limits.unnamed)?.feePerTransactionMinor ?? 0n
}

/**
 * Returns the amount that the signer counts for each byte of a signed transaction. Undefined if the network
 * charges for gas alone, or if the signer attested no such amount.
 */
export function dataFeePerByteMinor(
  limits: AttestedLimits | undefined,
  network: Pick<Network, 'name'> & { readonly feeModel?: string },
): bigint | undefined {
  if (limits === undefined || network.feeModel !== 'op-stack') return undefined
  const named = limits.networks.find(({ name }) => name === network.name)
  return (named ?? limits.unnamed)?.dataFeePerByteMinor
}

/**
 * Returns an error text if the signer's policy and this service differ on whether a network has base fees. The
 * signer would refuse every transaction.
 */
export function feeModelErrorOf(
  limits: AttestedLimits | undefined,
  network: Pick<Network, 'name'> & { readonly feeModel?: string },
): string | undefined {
  const named = limits?.networks.find(({ name }) => name === network.name)
  if (named === undefined || (named.feeModel === 'legacy') === (network.feeModel === 'legacy'))
    return undefined
  return network.feeModel === 'legacy'
    ? `the signer's policy says that ${network.name} has base fees: add "feeModel": "legacy" there, and send SIGHUP to the signer`
    : `the signer's policy says that ${network.name} has no base fees: remove "feeModel" there, and send SIGHUP to the signer`
}

/**
 * Returns the first asset of an intent that the signer's policy does not name; undefined if there is none.
 * The signer would refuse an intent with such an asset.
 */
export function unnamedAsset(
  limits: AttestedLimits | undefined,
  network: string,
  intent: Intent,
): string | undefined {
  if (limits === undefined || limits.unnamed !== null) return undefined
  const isNamed = ({ contract }: IntentAsset) =>
    contract === null || limits.assets.some((one) => one.network === network && one.contract === contract)
  return assetsOf(intent).find((asset) => !isNamed(asset))?.asset
}

/**
 * Returns an error text if an asset of the signer's policy has another name or other decimals in this
 * service. The limits of that asset would then mean other amounts.
 * @param countedAs returns this service's asset for a contract of the network, or for the coin if the
 * contract is null; undefined if this service has no such asset
 */
export function assetErrorOf(
  limits: AttestedLimits | undefined,
  network: string,
  countedAs: (contract: string | null) => CountedAsset | undefined,
): string | undefined {
  for (const { contract, symbol, decimals, ...one } of limits?.assets ?? []) {
    const own = one.network === network ? countedAs(contract) : undefined
    if (own === undefined) continue
    const what = contract ?? 'the coin'
    if (own.asset !== `${network}/${symbol}`)
      return `the signer's policy names ${what} ${network}/${symbol}, but its name here is ${own.asset}`
    if (own.decimals !== decimals)
      return `the signer's policy gives ${own.asset} ${decimals} decimals, but it has ${own.decimals} here`
  }
  return undefined
}

function assetsOf(intent: Intent): readonly IntentAsset[] {
  if (intent.kind === 'withdrawal') return intent.payments
  if (intent.kind === 'sweep') return intent.assets
  return 'contract' in intent ? [intent] : []
}
