import { required } from '../../core/assert.ts'
import { divide, rateDecimals, sum, usdDecimals } from '../../core/money.ts'

/**
 * A deposit is `failed` if another transaction spends the same outputs and is in a final block. A deposit that
 * leaves its block or the mempool does not fail: it stays `pending` or becomes `pending` again.
 */
export type DepositState = 'pending' | 'confirmed' | 'failed'

/**
 * The state of a quarantined deposit: `held` in quarantine, `released` to its merchant, or `seized`
 * permanently.
 */
export type Quarantine = 'held' | 'released' | 'seized'

/**
 * The result of screening a deposit. `listed`: a payer is on a sanctions list. `unknown`: a payer could not
 * be screened. `implausible`: the amount is above the method's maximum or the token's supply.
 */
export type DepositVerdict = 'passed' | 'listed' | 'unknown' | 'implausible'

/** One payment on chain: a transfer of a listed asset to an address of ours. */
export interface Deposit {
  readonly id: string
  readonly network: string
  /**
   * Identifies the transfer within its transaction. The key stays the same if the transaction is mined again
   * in another block.
   */
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly paymentMethodId: number
  /**
   * `merchantId` and `invoiceId` are undefined for a hot wallet, an unassigned address, or an address without
   * a proven owner.
   */
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
  /** The payment methods of the invoice, which never change. Empty if the deposit has no invoice. */
  readonly offeredMethodIds: readonly number[]
  readonly sender: string | undefined
  readonly recipient: string
  readonly amountMinor: bigint
  readonly state: DepositState
  /**
   * How often the deposit entered a canonical block: 0 before its first block. The deposit's journals and
   * events contain this number.
   */
  readonly inclusion: number
  /** Undefined while no canonical block contains the deposit. */
  readonly blockHeight: number | undefined
  readonly includedAt: Date | undefined
  readonly inTimeAt: Date
  /**
   * The amount that would pay the whole invoice at `priceUsd`. Undefined if the deposit pays no part of an
   * invoice.
   */
  readonly fullMinor: bigint | undefined
  /** The price of one whole unit of the asset, in 10^-12 USD. Undefined if no price was known. */
  readonly priceUsd: bigint | undefined
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: bigint
  /**
   * `feeMinor` is the fee that was charged, and `netMinor` is the amount that was credited. Both are
   * undefined until the deposit is credited.
   */
  readonly feeMinor: bigint | undefined
  readonly netMinor: bigint | undefined
  /**
   * True if the deposit was kept apart when it was confirmed, because the invoice's deposits were below the
   * method's minimum. Stays true after the deposit is credited.
   */
  readonly belowMinimum: boolean
  /** The result of screening; undefined if screening was off. */
  readonly verdict: DepositVerdict | undefined
  /**
   * The payer's address that is on a sanctions list: the sender, or the transaction's signer if the sender is
   * a contract.
   */
  readonly listedAddress: string | undefined
  /** Undefined if the deposit has not been put into quarantine since it entered its current block. */
  readonly quarantine: Quarantine | undefined
  readonly createdAt: Date
  readonly confirmedAt: Date | undefined
  /** When the deposit was first seen in a mempool. Undefined if it was first seen in a block. */
  readonly firstSeenAt: Date | undefined
  /** Since when the deposit is in no canonical block and no mempool; undefined while it is in one. */
  readonly unseenSince: Date | undefined
  /**
   * The hash of another transaction that spends the same outputs. At most one of the two transactions can be
   * mined.
   */
  readonly replacedBy: string | undefined
  /**
   * The height of the block with the transaction `replacedBy`. Undefined while that transaction is
   * unconfirmed.
   */
  readonly replacedHeight: number | undefined
  /**
   * How often the deposit failed. A deep reorganisation can make a failed deposit pending again. The
   * deposit's events contain this number.
   */
  readonly failures: number
  /** The MAC that the watcher stored with the deposit (`deposit-mac.ts`). */
  readonly mac: string
  /**
   * The number of confirmations, including the deposit's own block, after which the chain allows the output
   * to be spent. The number is 1 for normal outputs and larger for coinbase outputs.
   */
  readonly maturesAfter: number
}

export const whereabouts = ['block', 'mempool', 'nowhere'] as const
/** Where a payment is now: in a block, in a mempool, or in neither. */
export type Whereabouts = (typeof whereabouts)[number]

export function seenIn({
  blockHeight,
  unseenSince,
}: Pick<Deposit, 'blockHeight' | 'unseenSince'>): Whereabouts {
  if (blockHeight !== undefined) return 'block'
  return unseenSince === undefined ? 'mempool' : 'nowhere'
}

/** Returns the value of `amountMinor` in 10^-8 USD, rounded up. Returns undefined if there is no price. */
export function worthUsd(
  { amountMinor, priceUsd }: Pick<Deposit, 'amountMinor' | 'priceUsd'>,
  assetDecimals: number,
): bigint | undefined {
  if (priceUsd === undefined) return undefined
  return divide(amountMinor * priceUsd, 10n ** BigInt(assetDecimals + rateDecimals - usdDecimals), 'up')
}

/**
 * Returns the total value of a merchant's deposits that are not final, or undefined if one of them has no
 * price. The total decides how many confirmations each of the deposits needs. Splitting a large payment
 * therefore does not reduce the required confirmations.
 */
export function pendingWorthUsd(worths: readonly (bigint | undefined)[]): bigint | undefined {
  return worths.includes(undefined) ? undefined : sum(worths.map((worth) => required(worth, 'a worth')))
}

/** Returns the number of confirmations of a block at `height`. The block itself is the first confirmation. */
export function confirmationsAt(tipHeight: number, height: number): number {
  return tipHeight - height + 1
}

/**
 * Maximum number of an invoice's deposits that are credited together when the invoice reaches the minimum.
 * Deposits beyond this number are credited with the next confirmed deposit.
 */
const raisedMax = 1_000

/**
 * Returns whether screening allows the merchant to have the money. This requires that screening was off, all
 * payers passed, or the deposit was released from quarantine.
 */
export function isAmlOk({ verdict, quarantine }: Pick<Deposit, 'verdict' | 'quarantine'>): boolean {
  return verdict === undefined || verdict === 'passed' || quarantine === 'released'
}

export const quarantineReasons = ['listed', 'unknown', 'implausible'] as const

/** Returns why a deposit is, or was, in quarantine. */
export function quarantineReason({ verdict }: Pick<Deposit, 'verdict'>): (typeof quarantineReasons)[number] {
  return verdict === 'listed' || verdict === 'implausible' ? verdict : 'unknown'
}

/**
 * How a confirmed deposit is booked. `credit`: to the merchant. `keep`: apart, because the invoice's deposits
 * are below the minimum. `quarantine`: apart, because the payers did not pass screening. `unattributed`:
 * apart, because the address belongs to nobody or to a deleted merchant, or because the deposit is on the wrong
 * network.
 */
export type Booking = 'credit' | 'keep' | 'quarantine' | 'unattributed'

export interface Booked {
  readonly deposit: Deposit
  readonly booking: Booking
}

/**
 * Decides how confirmed deposits to one invoice in one asset are booked. Deposits are kept apart while the
 * deposits of the invoice are below the minimum. When the sum reaches the minimum, the new deposits and the
 * deposits that were kept apart are credited. Deposits that go to quarantine do not count towards the sum.
 * A deposit that was credited stays credited if a reorganisation drops another deposit of the sum
 * (docs/decisions/0086-open-sentences-of-the-specification.md).
 * @param confirmed Deposits that became confirmed now.
 * @param kept Deposits of the same invoice and asset that were confirmed earlier and are still kept apart.
 * @param creditedMinor The amount credited earlier to the same invoice in the same asset.
 */
export function bookDeposits(
  confirmed: readonly Deposit[],
  kept: readonly Deposit[],
  creditedMinor: bigint,
  minimumMinor: bigint,
): { readonly booked: readonly Booked[]; readonly raised: readonly Deposit[] } {
  const together =
    creditedMinor + sum([...confirmed.filter(isAmlOk), ...kept].map(({ amountMinor }) => amountMinor)) >=
    minimumMinor
  const booked = confirmed.map((deposit): Booked => {
    if (deposit.merchantId === undefined) return { deposit, booking: 'unattributed' }
    if (!isAmlOk(deposit)) return { deposit, booking: 'quarantine' }
    return { deposit, booking: together ? 'credit' : 'keep' }
  })
  return { booked, raised: together ? kept.slice(0, raisedMax) : [] }
}
