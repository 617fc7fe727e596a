/**
 * The policy limits the amounts that may leave our wallets and the fees that may be paid. The operator writes
 * the policy in a file that the signer reads.
 */
import { dataFeeNetworks } from '../../chains/evm/evm-networks.ts'
import { isDevChainId, shippedNetworkOf, type UtxoNetwork } from '../../chains/networks.ts'
import { groupBy } from '../../core/group-by.ts'
import { max, sum } from '../../core/money.ts'
import type { IntentAsset, Payment } from '../../signing/intent.ts'
import type { AttestedLimits, SignRequest } from '../../signing/signer-port.ts'
import type { Fee } from './known-outputs.ts'

export interface Policy {
  /** Networks by the name that the service uses. Outside a sandbox, a network must have an entry. */
  readonly networks: Readonly<Record<string, NetworkPolicy>>
  /** Assets that may leave our wallets. Outside a sandbox, an asset must have an entry. */
  readonly assets: readonly AssetPolicy[]
  /**
   * Limits on development chains for every network and asset without an entry. Set in a sandbox only, never
   * by a file.
   */
  readonly unnamed?: Unnamed
}

interface Unnamed {
  isChainId(chainId: number): boolean
  readonly network: NetworkLimits
  readonly asset: AssetLimits
}

export interface NetworkPolicy extends NetworkLimits {
  /** EIP-155 id; undefined for UTXO networks. */
  readonly chainId: number | undefined
  readonly coin: { readonly symbol: string; readonly decimals: number }
  /**
   * Set for an operator's own network without base fees, whose transactions are of type 0 (EIP-155). The signer
   * signs no other type for it, and no type 0 for any other network.
   */
  readonly feeModel?: 'legacy'
}

/** Limits of an asset. Chain and contract identify the asset; its symbol alone does not. */
export interface AssetPolicy extends AssetLimits {
  readonly network: string
  readonly symbol: string
  /** The token's contract in canonical form; null for the native coin. */
  readonly contract: string | null
  /**
   * Number of decimals of the asset. All its amounts are stated in the smallest unit. The number is compared
   * with the service's own value.
   */
  readonly decimals: number
}

export interface AssetLimits {
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  /** Maximum sum of all amounts that were ever sent to others, according to the signer's log. */
  readonly totalMinor: bigint
}

export interface NetworkLimits {
  /**
   * Maximum fee of one transaction, in the coin's smallest unit. On EVM, the fee is the gas limit times the
   * maximum price. On OP-stack networks, `dataFeePerByteMinor` for each byte is added.
   */
  readonly feePerTransactionMinor: bigint
  readonly feesPer24HoursMinor: bigint
  /** Maximum amount of the native coin that one deposit address gets in top-ups within 24 hours. */
  readonly topUpsPer24HoursMinor: bigint
  /**
   * OP-stack networks only, also those of the operator: the fee that is assumed for each byte of a signed transaction, in the coin's
   * smallest unit. These networks charge it in addition to gas, and the transaction itself does not limit it.
   */
  readonly dataFeePerByteMinor?: bigint
  /**
   * UTXO networks only: maximum fee for 1,000 virtual bytes. If undefined, the network's `feeRateMax`
   * applies.
   */
  readonly feeRateMinor?: bigint
  /**
   * UTXO networks only: maximum share of a transaction's inputs that may go to its fee, in percent. If
   * undefined, 50 applies.
   */
  readonly feeSharePercent?: bigint
}

const unlimited = 2n ** 256n

/** Policy of a sandbox. Only the fee of one transaction is limited, to 10^18 units (1 ETH). */
export const sandboxPolicy: Policy = {
  networks: {},
  assets: [],
  unnamed: {
    isChainId: isDevChainId,
    network: {
      feePerTransactionMinor: 10n ** 18n,
      feesPer24HoursMinor: unlimited,
      topUpsPer24HoursMinor: unlimited,
      dataFeePerByteMinor: 10n ** 12n,
    },
    asset: { perTransactionMinor: unlimited, per24HoursMinor: unlimited, totalMinor: unlimited },
  },
}

/** Returns the limits of an asset; undefined if the policy has no entry for the asset. */
export function assetPolicyOf(
  { assets }: Policy,
  network: string,
  contract: string | null,
): AssetPolicy | undefined {
  return assets.find((asset) => asset.network === network && asset.contract === contract)
}

/** Returns the limits that the planner needs to avoid requests that would be refused. */
export function attestedLimits({ networks, assets, unnamed }: Policy): AttestedLimits {
  return {
    networks: Object.entries(networks).map(([name, { chainId, feeModel, ...limits }]) => ({
      name,
      chainId: chainId ?? null,
      ...(feeModel === undefined ? {} : { feeModel }),
      ...attestedFees(limits),
    })),
    assets: assets.map(({ network, symbol, contract, decimals, perTransactionMinor }) => ({
      network,
      symbol,
      contract,
      decimals,
      perTransactionMinor,
    })),
    unnamed: unnamed === undefined ? null : attestedFees(unnamed.network),
  }
}

function attestedFees({ feePerTransactionMinor, dataFeePerByteMinor }: NetworkLimits) {
  return { feePerTransactionMinor, ...(dataFeePerByteMinor === undefined ? {} : { dataFeePerByteMinor }) }
}

/** An amount that counts towards limits of the policy, together with these limits. */
export interface Charge {
  /**
   * The account under which amounts are summed. It contains the chain and the contract but no names, because
   * two names of one asset share their limits.
   */
  readonly account: string
  /** The name of the asset in messages. */
  readonly name: string
  readonly amountMinor: bigint
  /** The largest single payment in the amount. `perTransactionMinor` limits this payment, not the sum. */
  readonly largestMinor?: bigint
  readonly perTransactionMinor: bigint
  readonly per24HoursMinor: bigint
  readonly totalMinor: bigint
}

/**
 * Returns the charge for the maximum fee of a transaction.
 * @param signedBytes is the maximum size of the signed transaction; 0 for UTXO networks, which have no data fee
 */
export function feeCharge(
  policy: Policy,
  request: SignRequest,
  maxCostMinor: bigint,
  signedBytes = 0,
): Charge {
  const limits = networkLimits(policy, request.network)
  const dataFeeMinor = BigInt(signedBytes) * dataFeePerByteMinor(limits, request.network)
  return {
    account: `fees of ${chainOf(request)}`,
    name: `fees of ${request.network}`,
    amountMinor: maxCostMinor + dataFeeMinor,
    perTransactionMinor: limits.feePerTransactionMinor,
    per24HoursMinor: limits.feesPer24HoursMinor,
    totalMinor: unlimited,
  }
}

/**
 * Returns 0 for shipped networks that charge for gas alone. The limits of a sandbox apply to networks of both
 * kinds. Only the policy tells whether an operator's own network charges for bytes.
 */
function dataFeePerByteMinor({ dataFeePerByteMinor: perByteMinor = 0n }: NetworkLimits, network: string) {
  const isShipped = shippedNetworkOf(network) !== undefined
  return isShipped && !dataFeeNetworks.includes(network) ? 0n : perByteMinor
}

/**
 * Returns the charges of a request, that is, the amounts that count towards limits, without its fee. Payments
 * to others and top-ups have charges. Other transfers between our own addresses have none.
 */
export function outflowCharges(policy: Policy, request: SignRequest): readonly Charge[] {
  const { intent, network } = request
  switch (intent.kind) {
    case 'withdrawal':
      return paymentCharges(policy, request, intent.payments)
    case 'treasury_withdrawal':
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
    case 'direct_sweep':
    case 'rebalance':
    case 'deploy':
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      return []
  }
}

/** Returns one charge for each contract. All payments of one contract in a transaction count together. */
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

/**
 * Returns the chain under which amounts are counted. An EVM chain is identified by its id, so that two names
 * of one chain share their limits. UTXO networks have fixed names, so their name identifies them.
 */
function chainOf(request: SignRequest): string {
  return 'psbt' in request ? request.network : `chain ${request.chainId}`
}

const feeSharePercentMax = 50n
/**
 * Tolerated difference in the size of a transaction, because a planner knows the size only to within a few
 * bytes.
 */
const roundingVbytes = 4n

/**
 * Returns the reason why a UTXO transaction must not pay this fee; undefined if it may. The maximum fee of
 * one transaction is not checked here, but together with the other limits (`Charge`).
 */
export function feeError(
  policy: Policy,
  { name, chain }: UtxoNetwork,
  { feeMinor, vbytes, inputsMinor }: Fee,
): string | undefined {
  const limits = networkLimits(policy, name)
  const rateMax = limits.feeRateMinor ?? chain.feeRateMax
  if (feeMinor * 1_000n > rateMax * (BigInt(vbytes) + roundingVbytes))
    return `fees of ${name}: ${feeMinor} for ${vbytes} vbytes, ${rateMax} are allowed for 1,000`
  const shareMax = limits.feeSharePercent ?? feeSharePercentMax
  if (feeMinor * 100n > shareMax * inputsMinor)
    return `fees of ${name}: ${feeMinor} of ${inputsMinor} spent, ${shareMax} percent are allowed`
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
