import { assert } from '../../core/assert.ts'

/** A cryptocurrency or token on one network in which invoices are paid and balances kept. */
export interface PaymentMethod {
  /** The stable `paymentMethodID` of the wire. */
  readonly id: number
  readonly symbol: string
  readonly name: string
  /** A name of `chains/networks.ts`. */
  readonly network: string
  /** How the ledger calls it: "ethereum/USDT". */
  readonly asset: string
  readonly decimals: number
  /** The token's contract in canonical spelling; undefined for the network's own coin. */
  readonly contract: string | undefined
  /** Deposits below it are kept apart until their invoice's sum reaches it. */
  readonly minimumMinor: bigint
  /**
   * Whether a transfer of it runs no code of the recipient's and fails for nothing that a merchant or recipient can bring
   * about after it was tried on a node. False where nobody has looked; of a coin, it says nothing.
   */
  readonly isPlain: boolean
  /** A larger transfer is not believed, whatever the token says: it is put into quarantine. */
  readonly depositMaxMinor: bigint
  /** Whether its price hardly moves, which lets a quote live longer. */
  readonly isStable: boolean
  readonly confirmationTiers: readonly ConfirmationTier[]
}

/** Blocks to wait for, the including one counted, while a merchant's deposits that are not final sum to at most `uptoUsd`. */
export interface ConfirmationTier {
  /** In 10^-8 USD; undefined means without bound, and is the last tier. */
  readonly uptoUsd: bigint | undefined
  /** Of a tier that waits for finality: where the chain's node knows no such thing. */
  readonly confirmations: number
  /**
   * Whether the chain must call the block final, which of several nodes two must say. Where the chain knows no such thing,
   * two of several must be there to agree on the blocks.
   */
  readonly needsFinality?: boolean
}

/** Most places of an amount shown to a payer (spec: payment address info). */
const payerPlacesMax = 6
/** Most places of a balance shown to a merchant (spec: balance entry). */
const balancePlacesMax = 8

export function payerPlaces(method: Pick<PaymentMethod, 'decimals'>): number {
  return Math.min(payerPlacesMax, method.decimals)
}

export function balancePlaces(method: Pick<PaymentMethod, 'decimals'>): number {
  return Math.min(balancePlacesMax, method.decimals)
}

/** The smallest difference a payer can see, in the asset's smallest unit. */
export function payerStepMinor(method: Pick<PaymentMethod, 'decimals'>): bigint {
  return 10n ** BigInt(method.decimals - payerPlaces(method))
}

/**
 * The tier of a deposit whose merchant has `pendingUsd` (10^-8 USD, this deposit included) in deposits that are not
 * final; an unknown value is of the last.
 */
export function confirmationTier(method: PaymentMethod, pendingUsd: bigint | undefined): ConfirmationTier {
  const last = method.confirmationTiers.at(-1)
  assert(last !== undefined && last.uptoUsd === undefined, `${method.asset} has no last confirmation tier`)
  if (pendingUsd === undefined) return last
  const tier = method.confirmationTiers.find(({ uptoUsd }) => uptoUsd === undefined || pendingUsd <= uptoUsd)
  return tier ?? last
}

/** How many blocks a deposit waits for, its own counted; one that waits for finality may be confirmed by another number. */
export function confirmationsRequired(method: PaymentMethod, pendingUsd: bigint | undefined): number {
  return confirmationTier(method, pendingUsd).confirmations
}

/** The methods one installation knows, with fast look-ups. */
export interface PaymentMethods {
  /** By id, ascending. */
  readonly all: readonly PaymentMethod[]
  readonly enabled: readonly PaymentMethod[]
  byId(id: number): PaymentMethod | undefined
  enabledById(id: number): PaymentMethod | undefined
  byAsset(asset: string): PaymentMethod | undefined
  /** Finds what was transferred: the coin of the network (contract undefined) or a listed token. */
  byTransferred(network: string, contract: string | undefined): PaymentMethod | undefined
}

export function paymentMethods(
  all: readonly PaymentMethod[],
  enabledNetworks: ReadonlySet<string>,
): PaymentMethods {
  const sorted = all.toSorted((a, b) => a.id - b.id)
  const enabled = sorted.filter((method) => enabledNetworks.has(method.network))
  const byId = new Map(sorted.map((method) => [method.id, method]))
  const byAsset = new Map(sorted.map((method) => [method.asset, method]))
  const byTransferred = new Map(
    enabled.map((method) => [`${method.network}/${method.contract ?? ''}`, method]),
  )
  assert(
    byId.size === sorted.length && byAsset.size === sorted.length,
    'payment method ids and assets are unique',
  )
  return {
    all: sorted,
    enabled,
    byId: (id) => byId.get(id),
    enabledById: (id) => enabled.find((method) => method.id === id),
    byAsset: (asset) => byAsset.get(asset),
    byTransferred: (network, contract) => byTransferred.get(`${network}/${contract ?? ''}`),
  }
}

/** What the smallest deposits of a network wait for. */
export function leastConfirmations(methods: PaymentMethods, network: string): number {
  return Math.min(...confirmationsOn(methods, network))
}

/** What the largest deposits of a network wait for: deeper blocks are taken as final where the chain knows no finality. */
export function mostConfirmations(methods: PaymentMethods, network: string): number {
  return Math.max(...confirmationsOn(methods, network))
}

/**
 * Up to which height blocks are final: as the chain says, else those under which the largest deposits are confirmed.
 * @param tip as a cursor has it, which keeps -1 where the chain knows no such thing
 */
export function finalHeightOf(
  methods: PaymentMethods,
  network: string,
  { height, finalHeight }: { readonly height: number; readonly finalHeight: number | undefined },
): number {
  if (finalHeight !== undefined && finalHeight >= 0) return finalHeight
  return height - mostConfirmations(methods, network) + 1
}

function confirmationsOn(methods: PaymentMethods, network: string): readonly number[] {
  return methods.all
    .filter((method) => method.network === network)
    .flatMap((method) => method.confirmationTiers.map(({ confirmations }) => confirmations))
}
