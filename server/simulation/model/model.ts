/**
 * The reference model: what must be true of merchants' money, computed from the answers of the API and from the
 * chain alone. It knows nothing of the database, and repeats the rules of the specification in its own words.
 */
import { groupBy } from '../../src/core/group-by.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** An asset as the model needs it. `contract` is null for the coin. */
export interface ModelAsset {
  readonly methodId: number
  readonly name: string
  readonly network: string
  readonly contract: string | null
  readonly decimals: number
  readonly isStable: boolean
  readonly minimumMinor: bigint
  /** The smallest output that nodes relay. A withdrawal of less fails. */
  readonly dustMinor: bigint
}

/** An address that the API showed to a payer of an invoice. */
export interface ShownAddress {
  readonly merchantId: string
  readonly invoiceId: string
  readonly address: string
  readonly methodId: number
  /** The amount that the payer was asked for. */
  readonly amountMinor: bigint
}

/** A withdrawal that a merchant ordered. */
export interface ModelOrder {
  readonly id: string
  readonly merchantId: string
  readonly asset: ModelAsset
  readonly address: string
  readonly amountMinor: bigint
  /** Whether the API answered that the order is taken. Without an answer it may be taken or not. */
  isAnswered: boolean
  isCancelled: boolean
}

export class Model {
  readonly merchants: string[] = []
  readonly shown: ShownAddress[] = []
  readonly orders: ModelOrder[] = []
  /** The recipients that ever behaved in their own way. Only payments to them may fail. */
  readonly unusual = new Set<string>()
  /** The senders on a sanctions list. What they pay belongs to nobody, and moves with nothing else. */
  readonly listed = new Set<string>()
  /** The invoices that the API deleted. */
  readonly deleted = new Set<string>()
  /** Whether the database was restored to an earlier state. Later records may be missing; no order is paid twice. */
  isRestored = false
  /** Whether the only node invented payments. The books are then wrong, but no merchant is paid too much. */
  isDeceived = false
}

/** The fee of a deposit or a withdrawal in a sandbox: one percent, and 0.1 for stablecoins. Rounded up. */
export function feeOf(grossMinor: bigint, { decimals, isStable }: ModelAsset): bigint {
  const percentMinor = (grossMinor + 99n) / 100n
  const flatMinor = isStable ? 10n ** BigInt(decimals) / 10n : 0n
  const wantedMinor = percentMinor + flatMinor < grossMinor ? percentMinor + flatMinor : grossMinor
  // Balances have at most eight decimal places. What is smaller belongs to the fee.
  const step = decimals > 8 ? 10n ** BigInt(decimals - 8) : 1n
  const netMinor = ((grossMinor - wantedMinor) / step) * step
  return grossMinor - netMinor
}

/**
 * Returns what each merchant was credited of an asset: each true transfer to an address that was shown to its
 * payers, less the fee, once all transfers to the invoice reach the minimum.
 */
export function creditsOf(
  model: Model,
  asset: ModelAsset,
  transfers: readonly TrueTransfer[],
): ReadonlyMap<string, bigint> {
  const credits = new Map<string, bigint>()
  const byInvoice = groupBy(model.shown, ({ invoiceId }) => invoiceId)
  for (const shown of byInvoice.values()) {
    const addresses = new Set(shown.map(({ address }) => address))
    const paid = transfers
      .filter((transfer) => isOf(asset, transfer) && addresses.has(transfer.recipient))
      .filter(({ isFromUs, sender }) => !isFromUs && !model.listed.has(sender))
    const grossMinor = paid.reduce((total, { amountMinor }) => total + amountMinor, 0n)
    if (grossMinor < asset.minimumMinor) continue
    const netMinor = paid.reduce(
      (total, { amountMinor }) => total + amountMinor - feeOf(amountMinor, asset),
      0n,
    )
    const [first] = shown
    if (first === undefined) continue
    credits.set(first.merchantId, (credits.get(first.merchantId) ?? 0n) + netMinor)
  }
  return credits
}

/** Returns whether a transfer is one of this asset. */
export function isOf(asset: ModelAsset, { network, contract }: TrueTransfer): boolean {
  return network === asset.network && contract === asset.contract
}
