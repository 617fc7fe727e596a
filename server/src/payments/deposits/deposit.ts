import { required } from '../../core/assert.ts'
import { divide, rateDecimals, sum, usdDecimals } from '../../core/money.ts'

/** `failed` means that a conflicting transaction is final or the receipt says reverted; silence is never failure. */
export type TransactionState = 'pending' | 'confirmed' | 'failed'

/** Where the money of a deposit is whose sender did not pass: apart, given to its merchant after all, or taken for good. */
export type Quarantine = 'held' | 'released' | 'seized'

/** What screening said of a deposit's sender; implausible: nobody can have moved as much, whoever the sender is. */
export type DepositVerdict = 'passed' | 'listed' | 'unknown' | 'implausible'

/** One payment on chain: a transfer to an address of ours. */
export interface Transaction {
  readonly id: string
  readonly network: string
  /** The transfer's place within its own transaction; survives being mined again elsewhere. */
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly paymentMethodId: number
  /** Undefined where the address was never given to an invoice. */
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
  readonly sender: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
  readonly state: TransactionState
  /** How often it has entered a canonical block, 0 while it only waits for one; journals and events carry it. */
  readonly inclusion: number
  /** Undefined while no canonical block holds it. */
  readonly blockHeight: number | undefined
  readonly includedAt: Date | undefined
  readonly inTimeAt: Date
  /** The whole invoice in this asset at `priceUsd`; undefined where it counts for nothing. */
  readonly fullMinor: bigint | undefined
  /** In 10^-12 USD per whole unit. */
  readonly priceUsd: bigint | undefined
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: bigint
  /** What was taken and credited; undefined until credited. */
  readonly feeMinor: bigint | undefined
  readonly netMinor: bigint | undefined
  /** Confirmed, but kept apart until the invoice's sum reaches the method's minimum. */
  readonly belowMinimum: boolean
  /** Undefined where nobody was screened. */
  readonly verdict: DepositVerdict | undefined
  /** Who of those who paid is listed: the sender, or whoever signed the transaction that called it. */
  readonly listedAddress: string | undefined
  /** Undefined where it never was in quarantine since it entered its block. */
  readonly quarantine: Quarantine | undefined
  readonly createdAt: Date
  readonly confirmedAt: Date | undefined
  /** When a mempool was first seen to hold it; undefined where none was. */
  readonly firstSeenAt: Date | undefined
  /** Since when neither a block nor a mempool that is watched holds it. */
  readonly unseenSince: Date | undefined
  /** Hash of a transaction that spends the same money: of the two only one is ever mined. */
  readonly replacedBy: string | undefined
  /** The block that holds that one; undefined while it waits itself. */
  readonly replacedHeight: number | undefined
  /** How often it failed, which only a deep reorganisation takes back; events carry it. */
  readonly failures: number
  /** Of the watcher that recorded it (`deposit-mac.ts`). */
  readonly mac: string
  /** Blocks, its own counted, before which the chain lets nobody spend it: 1 of all but a coinbase. */
  readonly maturesAfter: number
}

export const whereabouts = ['block', 'mempool', 'nowhere'] as const
/** Where a payment is to be seen now. */
export type Whereabouts = (typeof whereabouts)[number]

export function seenIn({
  blockHeight,
  unseenSince,
}: Pick<Transaction, 'blockHeight' | 'unseenSince'>): Whereabouts {
  if (blockHeight !== undefined) return 'block'
  return unseenSince === undefined ? 'mempool' : 'nowhere'
}

/** What `amountMinor` is worth in 10^-8 USD, rounded up; undefined without a price. */
export function worthUsd(
  { amountMinor, priceUsd }: Pick<Transaction, 'amountMinor' | 'priceUsd'>,
  assetDecimals: number,
): bigint | undefined {
  if (priceUsd === undefined) return undefined
  return divide(amountMinor * priceUsd, 10n ** BigInt(assetDecimals + rateDecimals - usdDecimals), 'up')
}

/**
 * What a merchant's deposits that are not final are worth together, so that splitting one large payment does not buy
 * fewer confirmations; undefined as soon as one has no price.
 */
export function pendingWorthUsd(worths: readonly (bigint | undefined)[]): bigint | undefined {
  return worths.includes(undefined) ? undefined : sum(worths.map((worth) => required(worth, 'a worth')))
}

/** Confirmations of a block at `height` under a tip: the block itself counts as the first. */
export function confirmationsAt(tipHeight: number, height: number): number {
  return tipHeight - height + 1
}

/** What one block raises of an invoice's small deposits; the rest is raised with the next that is confirmed. */
const raisedMax = 1_000

/** Whether screening lets the money be the merchant's: nobody is screened, the sender passed, or an operator let it go. */
export function isAmlOk({ verdict, quarantine }: Pick<Transaction, 'verdict' | 'quarantine'>): boolean {
  return verdict === undefined || verdict === 'passed' || quarantine === 'released'
}

export const quarantineReasons = ['listed', 'unknown', 'implausible'] as const

/** Why a deposit is, or was, in quarantine. */
export function quarantineReason({
  verdict,
}: Pick<Transaction, 'verdict'>): (typeof quarantineReasons)[number] {
  return verdict === 'listed' || verdict === 'implausible' ? verdict : 'unknown'
}

/**
 * credit: to the merchant. keep: apart, as below the minimum. quarantine: apart, as its sender did not pass.
 * unattributed: to nobody's address, or a deleted merchant's.
 */
export type Booking = 'credit' | 'keep' | 'quarantine' | 'unattributed'

export interface Booked {
  readonly transaction: Transaction
  readonly booking: Booking
}

/**
 * How confirmed deposits to one invoice in one asset are booked. Small ones are kept apart until all of them
 * together reach the minimum; then they and what was kept before are credited. What goes to quarantine raises nothing.
 * @param confirmed the deposits that now became confirmed
 * @param kept deposits of the same invoice and asset confirmed earlier and still kept apart
 * @param creditedMinor what was credited of the same invoice and asset before
 */
export function bookDeposits(
  confirmed: readonly Transaction[],
  kept: readonly Transaction[],
  creditedMinor: bigint,
  minimumMinor: bigint,
): { readonly booked: readonly Booked[]; readonly raised: readonly Transaction[] } {
  const together =
    creditedMinor + sum([...confirmed.filter(isAmlOk), ...kept].map(({ amountMinor }) => amountMinor)) >=
    minimumMinor
  const booked = confirmed.map((transaction): Booked => {
    if (transaction.merchantId === undefined) return { transaction, booking: 'unattributed' }
    if (!isAmlOk(transaction)) return { transaction, booking: 'quarantine' }
    return { transaction, booking: together ? 'credit' : 'keep' }
  })
  return { booked, raised: together ? kept.slice(0, raisedMax) : [] }
}
