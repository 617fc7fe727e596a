/** How much may leave, and what may be paid for sending it: the operator's own words, in the signer's own file. */
import { devChainIds, type UtxoNetwork } from '../../chains/networks.ts'
import { groupBy } from '../../core/group-by.ts'
import { max, sum } from '../../core/money.ts'
import type { IntentAsset, Payment } from '../../signing/intent.ts'
import type { AttestedLimits, SignRequest } from '../../signing/signer-port.ts'
import type { Fee } from './known-coins.ts'

export interface Policy {
  /** By name, which the service uses too. What has no entry is not signed for. */
  readonly networks: Readonly<Record<string, NetworkPolicy>>
  /** What may leave; what has no entry does not. */
  readonly assets: readonly AssetPolicy[]
  /** Of play money alone, and never in a file: what holds for all that has no entry, on development chains. */
  readonly unnamed?: Unnamed
}

interface Unnamed {
  readonly chainIds: readonly number[]
  readonly network: NetworkLimits
  readonly asset: AssetLimits
}

export interface NetworkPolicy extends NetworkLimits {
  /** EIP-155 id; undefined where money lies in coins. */
  readonly chainId: number | undefined
  readonly coin: { readonly symbol: string; readonly decimals: number }
}

/** An asset is its contract on its chain; what it is called is compared, and counts for nothing. */
export interface AssetPolicy extends AssetLimits {
  readonly network: string
  readonly symbol: string
  /** In canonical spelling; null for the coin. */
  readonly contract: string | null
  /** Of the amounts below, which are in the smallest unit; compared with the service's own. */
  readonly decimals: number
}

export interface AssetLimits {
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  /** Of all that ever left, by the signer's log. */
  readonly totalMinor: bigint
}

export interface NetworkLimits {
  /** What one transaction may cost at most: its gas at its highest price. */
  readonly feePerTransactionMinor: bigint
  readonly feesPer24HoursMinor: bigint
  /** What one deposit address may be given for its own gas. */
  readonly topUpsPer24HoursMinor: bigint
  /** Where money lies in coins: what may be paid for 1,000 virtual bytes; the network's `feeRateMax` where absent. */
  readonly feeRateMinor?: bigint
  /** Where money lies in coins: how much of what a transaction spends may go to its fee, in percent; 50 where absent. */
  readonly feeSharePercent?: bigint
}

const unlimited = 2n ** 256n

/** For play money; a fee above one coin is a mistake there too. */
export const sandboxPolicy: Policy = {
  networks: {},
  assets: [],
  unnamed: {
    chainIds: devChainIds,
    network: {
      feePerTransactionMinor: 10n ** 18n,
      feesPer24HoursMinor: unlimited,
      topUpsPer24HoursMinor: unlimited,
    },
    asset: { perTransactionMinor: unlimited, per24HoursMinor: unlimited, totalMinor: unlimited },
  },
}

/** What an asset is limited to; undefined where the policy does not name it. */
export function assetPolicyOf(
  { assets }: Policy,
  network: string,
  contract: string | null,
): AssetPolicy | undefined {
  return assets.find((asset) => asset.network === network && asset.contract === contract)
}

/** What whoever plans has to know of the limits, so that it asks for nothing that is refused. */
export function attestedLimits({ networks, assets, unnamed }: Policy): AttestedLimits {
  return {
    networks: Object.entries(networks).map(([name, { chainId, feePerTransactionMinor }]) => ({
      name,
      chainId: chainId ?? null,
      feePerTransactionMinor,
    })),
    assets: assets.map(({ network, symbol, contract, decimals, perTransactionMinor }) => ({
      network,
      symbol,
      contract,
      decimals,
      perTransactionMinor,
    })),
    unnamed:
      unnamed === undefined ? null : { feePerTransactionMinor: unnamed.network.feePerTransactionMinor },
  }
}

/** Something that is counted against limits, each of which may be absent. */
export interface Charge {
  /** Under which it is counted: by chain and contract, never by what somebody calls them. */
  readonly account: string
  /** What people are told. */
  readonly name: string
  readonly amountMinor: bigint
  /** The largest of the payments that it sums up: batching them changes no limit. */
  readonly largestMinor?: bigint
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  readonly totalMinor: bigint
}

/** What a transaction may cost for being mined. */
export function feeCharge(policy: Policy, request: SignRequest, maxCostMinor: bigint): Charge {
  const limits = networkLimits(policy, request.network)
  return {
    account: `fees of ${chainOf(request)}`,
    name: `fees of ${request.network}`,
    amountMinor: maxCostMinor,
    perTransactionMinor: limits.feePerTransactionMinor,
    per24HoursMinor: limits.feesPer24HoursMinor,
    totalMinor: unlimited,
  }
}

/** What a request takes of the limits beside its fee; nothing where all stays within our own wallets. */
export function outflowCharges(policy: Policy, request: SignRequest): readonly Charge[] {
  const { intent, network } = request
  switch (intent.kind) {
    case 'withdrawal':
      return paymentCharges(policy, request, intent.payments)
    case 'take_out':
      return [outflow(policy, request, intent, intent.amountMinor)]
    case 'top_up': {
      const { branch, index } = intent.deposit
      const dayMinor = networkLimits(policy, network).topUpsPer24HoursMinor
      return [
        {
          account: `gas for deposit address ${branch}/${index} of ${chainOf(request)}`,
          name: `gas for deposit address ${branch}/${index} of ${network}`,
          amountMinor: intent.amountMinor,
          perTransactionMinor: dayMinor,
          per24HoursMinor: dayMinor,
          totalMinor: unlimited,
        },
      ]
    }
    case 'sweep':
    case 'forward':
    case 'rebalance':
    case 'deploy':
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      return []
  }
}

/** One for each contract, so that what one transaction takes of it is counted once. */
function paymentCharges(
  policy: Policy,
  request: SignRequest,
  payments: readonly Payment[],
): readonly Charge[] {
  const byContract = groupBy(payments, ({ contract }) => contract)
  return [...byContract.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const amounts = own.map(({ netMinor }) => netMinor)
    return [{ ...outflow(policy, request, first, sum(amounts)), largestMinor: amounts.reduce(max) }]
  })
}

/** The chain itself, which its name cannot hide: two names of one chain share their limits. */
function chainOf(request: SignRequest): string {
  return 'psbt' in request ? request.network : `chain ${request.chainId}`
}

const feeSharePercentMax = 50n
/** Whoever plans a transaction knows its size to within a few bytes. */
const roundingVbytes = 4n

/** Says why a transaction of coins must not pay so much; undefined where it may. The absolute limit is a charge. */
export function feeFault(
  policy: Policy,
  { name, chain }: UtxoNetwork,
  { feeMinor, vbytes, inputsMinor }: Fee,
): string | undefined {
  const limits = networkLimits(policy, name)
  const rateMax = limits.feeRateMinor ?? chain.feeRateMax
  if (feeMinor * 1_000n > rateMax * (BigInt(vbytes) + roundingVbytes))
    return `fees of ${name}: ${feeMinor} for ${vbytes} bytes, ${rateMax} are allowed for 1,000`
  const shareMax = limits.feeSharePercent ?? feeSharePercentMax
  if (feeMinor * 100n > shareMax * inputsMinor)
    return `fees of ${name}: ${feeMinor} of ${inputsMinor} that are spent, ${shareMax} percent are allowed`
  return undefined
}

function networkLimits({ networks, unnamed }: Policy, network: string): NetworkLimits {
  return networks[network] ?? unnamed?.network ?? noNetworkLimits
}

function outflow(
  policy: Policy,
  request: SignRequest,
  { asset, contract }: IntentAsset,
  amountMinor: bigint,
): Charge {
  const limits = assetPolicyOf(policy, request.network, contract) ?? policy.unnamed?.asset ?? noAssetLimits
  return {
    account: `${chainOf(request)} ${contract ?? 'coin'}`,
    name: asset,
    amountMinor,
    perTransactionMinor: limits.perTransactionMinor,
    per24HoursMinor: limits.per24HoursMinor,
    totalMinor: limits.totalMinor,
  }
}

const noAssetLimits: AssetLimits = { perTransactionMinor: 0n, per24HoursMinor: 0n, totalMinor: 0n }
const noNetworkLimits: NetworkLimits = {
  feePerTransactionMinor: 0n,
  feesPer24HoursMinor: 0n,
  topUpsPer24HoursMinor: 0n,
}
