/** What the signer attested that its policy allows: whatever is planned stays within it. Pure. */
import type { Intent, IntentAsset } from '../../../signing/intent.ts'
import type { AttestedLimits } from '../../../signing/signer-port.ts'

/** How the service calls an asset, and in which unit it counts. */
export interface CountedAsset {
  /** `<network>/<symbol>` */
  readonly asset: string
  readonly decimals: number
}

/** The most that one transaction may cost; undefined where the signer tells no limits. */
export function feeMaxMinor(limits: AttestedLimits | undefined, network: string): bigint | undefined {
  if (limits === undefined) return undefined
  const named = limits.networks.find(({ name }) => name === network)
  return (named ?? limits.unnamed)?.feePerTransactionMinor ?? 0n
}

/** The first asset of an intent that the policy does not name, which the signer would refuse. */
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
 * Says which asset of the policy is another thing here: its limits would be for other amounts than are meant.
 * @param countedAs how the service has a contract of the network, null being the coin; undefined where it has none
 */
export function assetFaultOf(
  limits: AttestedLimits | undefined,
  network: string,
  countedAs: (contract: string | null) => CountedAsset | undefined,
): string | undefined {
  for (const { contract, symbol, decimals, ...one } of limits?.assets ?? []) {
    const own = one.network === network ? countedAs(contract) : undefined
    if (own === undefined) continue
    const what = contract ?? 'the coin'
    if (own.asset !== `${network}/${symbol}`)
      return `the signer's policy calls ${what} ${network}/${symbol}, and here it is ${own.asset}`
    if (own.decimals !== decimals)
      return `the signer's policy gives ${own.asset} ${decimals} decimals, and here it has ${own.decimals}`
  }
  return undefined
}

function assetsOf(intent: Intent): readonly IntentAsset[] {
  if (intent.kind === 'withdrawal') return intent.payments
  if (intent.kind === 'sweep') return intent.assets
  return 'contract' in intent ? [intent] : []
}
