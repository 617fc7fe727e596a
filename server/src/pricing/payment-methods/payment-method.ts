import { assert } from '../../core/assert.ts'

/** A coin or token on one network, in which invoices are paid and balances are kept. */
export interface PaymentMethod {
  /** The `paymentMethodID` of the API. It never changes. */
  readonly id: number
  readonly symbol: string
  readonly name: string
  /** A network name from `chains/networks.ts`. */
  readonly network: string
  /** The asset's name in the ledger, such as "ethereum/USDT". */
  readonly asset: string
  readonly decimals: number
  /** The token's contract address in canonical form; undefined for the network's own coin. */
  readonly contract: string | undefined
  /** A smaller deposit is not credited until the deposits of its invoice add up to this amount. */
  readonly minimumMinor: bigint
  /**
   * Whether the outcome of a transfer is predictable. Such a transfer runs no code of the recipient. No
   * merchant or recipient can make it fail after a node has simulated it successfully. False until the
   * token's code was reviewed. The value has no meaning for a coin.
   */
  readonly isPlain: boolean
  /** A larger transfer is put into quarantine, because the amount that the token reports is not plausible. */
  readonly depositMaxMinor: bigint
  /**
   * Whether a merchant may credit itself a payment in this asset that came on a network which its invoice does
   * not offer. If not, only an operator can attribute such a payment.
   */
  readonly isCreditable: boolean
  /** Whether the price hardly moves, so that a quote may be valid for longer. */
  readonly isStable: boolean
  readonly confirmationTiers: readonly ConfirmationTier[]
  /**
   * Whether the chain's nodes report which blocks are final. If they should and do not, no block is final. On
   * a chain without finality, blocks with enough confirmations are treated as final.
   */
  readonly hasFinality: boolean
}

/**
 * The number of blocks to wait for, including the deposit's own block. A tier applies while all of the
 * merchant's deposits that are not final are together worth at most `uptoUsd`.
 */
export interface ConfirmationTier {
  /** In 10^-8 USD. Undefined means that there is no upper bound, and marks the last tier. */
  readonly uptoUsd: bigint | undefined
  /**
   * The required number of confirmations. In a tier with `needsFinality`, it applies only on a chain without
   * finality, and to estimate how long a deposit waits.
   */
  readonly confirmations: number
  /**
   * Whether the block must be final. If several nodes are configured, two of them must report it as final. On
   * a chain without finality, two of several nodes must agree on the block.
   */
  readonly needsFinality?: boolean
}

/** Maximum decimal places of an amount shown to a payer (spec: payment address info). */
const payerDecimalsMax = 6
/** Maximum decimal places of a balance shown to a merchant (spec: balance entry). */
const balanceDecimalsMax = 8

export function payerDecimals(method: Pick<PaymentMethod, 'decimals'>): number {
  return Math.min(payerDecimalsMax, method.decimals)
}

export function balanceDecimals(method: Pick<PaymentMethod, 'decimals'>): number {
  return Math.min(balanceDecimalsMax, method.decimals)
}

/**
 * Returns the smallest step of the amounts that are shown to payers, in the asset's smallest unit. Payers may
 * see fewer decimal places than the asset has.
 */
export function payerStepMinor(method: Pick<PaymentMethod, 'decimals'>): bigint {
  return 10n ** BigInt(method.decimals - payerDecimals(method))
}

/**
 * Returns the tier for a deposit. `pendingUsd` (10^-8 USD) is the value of all the merchant's deposits that
 * are not final, including this deposit. If the value is unknown, the last tier applies.
 */
export function confirmationTier(method: PaymentMethod, pendingUsd: bigint | undefined): ConfirmationTier {
  const last = method.confirmationTiers.at(-1)
  assert(last !== undefined && last.uptoUsd === undefined, `${method.asset} has no last confirmation tier`)
  if (pendingUsd === undefined) return last
  const tier = method.confirmationTiers.find(({ uptoUsd }) => uptoUsd === undefined || pendingUsd <= uptoUsd)
  return tier ?? last
}

/**
 * Returns the number of blocks for which a deposit waits, including its own block. A deposit that waits for
 * finality may be confirmed after a different number of blocks.
 */
export function confirmationsRequired(method: PaymentMethod, pendingUsd: bigint | undefined): number {
  return confirmationTier(method, pendingUsd).confirmations
}

/** The payment methods of one installation, with fast lookups. */
export interface PaymentMethods {
  /** Sorted by id, ascending. */
  readonly all: readonly PaymentMethod[]
  /** The methods on networks that this server follows. Their money is credited, swept and paid out. */
  readonly followed: readonly PaymentMethod[]
  /**
   * The followed methods that new invoices may offer. An operator can disable a method of its own, and accept
   * tokens alone on a network.
   */
  readonly enabled: readonly PaymentMethod[]
  byId(id: number): PaymentMethod | undefined
  followedById(id: number): PaymentMethod | undefined
  enabledById(id: number): PaymentMethod | undefined
  byAsset(asset: string): PaymentMethod | undefined
  /**
   * Returns the method of a transfer: the network's coin if `contract` is undefined, else the token with this
   * contract address.
   */
  byTransferred(network: string, contract: string | undefined): PaymentMethod | undefined
}

/**
 * @param disabled the ids of the methods that new invoices may not offer
 * @param unusable the ids of the methods that are not followed even if their network is
 */
export function paymentMethods(
  all: readonly PaymentMethod[],
  followedNetworks: ReadonlySet<string>,
  disabled: ReadonlySet<number> = new Set(),
  unusable: ReadonlySet<number> = new Set(),
): PaymentMethods {
  const sorted = all.toSorted((a, b) => a.id - b.id)
  const followed = sorted.filter(({ id, network }) => followedNetworks.has(network) && !unusable.has(id))
  const enabled = followed.filter(({ id }) => !disabled.has(id))
  const byId = new Map(sorted.map((method) => [method.id, method]))
  const byAsset = new Map(sorted.map((method) => [method.asset, method]))
  const byTransferred = new Map(
    followed.map((method) => [`${method.network}/${method.contract ?? ''}`, method]),
  )
  assert(
    byId.size === sorted.length && byAsset.size === sorted.length,
    'payment method ids and assets are unique',
  )
  return {
    all: sorted,
    followed,
    enabled,
    byId: (id) => byId.get(id),
    followedById: (id) => followed.find((method) => method.id === id),
    enabledById: (id) => enabled.find((method) => method.id === id),
    byAsset: (asset) => byAsset.get(asset),
    byTransferred: (network, contract) => byTransferred.get(`${network}/${contract ?? ''}`),
  }
}

export interface LivePaymentMethods {
  /** Always shows the methods that were set last. */
  readonly methods: PaymentMethods
  set(methods: PaymentMethods): void
}

/** Returns payment methods that change while a process runs, because an operator adds networks and tokens. */
export function livePaymentMethods(first: PaymentMethods): LivePaymentMethods {
  let now = first
  return {
    set: (methods) => {
      now = methods
    },
    methods: {
      get all() {
        return now.all
      },
      get followed() {
        return now.followed
      },
      get enabled() {
        return now.enabled
      },
      byId: (id) => now.byId(id),
      followedById: (id) => now.followedById(id),
      enabledById: (id) => now.enabledById(id),
      byAsset: (asset) => now.byAsset(asset),
      byTransferred: (network, contract) => now.byTransferred(network, contract),
    },
  }
}

/** Returns the confirmations required for the smallest deposits on a network. */
export function leastConfirmations(methods: PaymentMethods, network: string): number {
  return Math.min(...confirmationsOn(methods, network))
}

/**
 * Returns the confirmations required for the largest deposits on a network. On a chain without finality,
 * blocks this deep are treated as final.
 */
export function mostConfirmations(methods: PaymentMethods, network: string): number {
  return Math.max(...confirmationsOn(methods, network))
}

/**
 * Returns the height up to which blocks are final; -1 if none is. On a chain with finality this is the height
 * that its nodes report, and depth never replaces that report. On a chain without finality, it is the height
 * at which the largest deposits have enough confirmations.
 * @param tip The stored cursor; its `finalHeight` is -1 or undefined if the nodes report none.
 */
export function finalHeightOf(
  methods: PaymentMethods,
  network: string,
  { height, finalHeight }: { readonly height: number; readonly finalHeight: number | undefined },
): number {
  if (finalHeight !== undefined && finalHeight >= 0) return finalHeight
  if (methods.all.some((method) => method.network === network && method.hasFinality)) return -1
  return height - mostConfirmations(methods, network) + 1
}

/**
 * Returns the height above which deposits count as not final when a merchant's risk is summed. While a chain
 * with finality reports no final block, these are the deposits without the most confirmations. This decides
 * only which tier applies. A deposit that needs finality still waits for the report.
 */
export function riskHeightOf(
  methods: PaymentMethods,
  network: string,
  tip: { readonly height: number; readonly finalHeight: number | undefined },
): number {
  const finalHeight = finalHeightOf(methods, network, tip)
  return finalHeight >= 0 ? finalHeight : tip.height - mostConfirmations(methods, network) + 1
}

function confirmationsOn(methods: PaymentMethods, network: string): readonly number[] {
  return methods.all
    .filter((method) => method.network === network)
    .flatMap((method) => method.confirmationTiers.map(({ confirmations }) => confirmations))
}

/** Returns the ids of the coins of networks on which tokens alone are accepted. */
export function coinIdsOf(all: readonly PaymentMethod[], networks: ReadonlySet<string>): readonly number[] {
  return all.flatMap(({ id, network, contract }) =>
    contract === undefined && networks.has(network) ? [id] : [],
  )
}
