/**
 * Checks whether an order may still be paid: whether its signature is valid, and whether the books still hold
 * its money. All functions here are pure.
 */
import type { Order } from '../../../signing/order-signature.ts'

/** The hold on the money of an order, as the books show it. */
export interface OrderHold {
  /** Whether the journal of the hold is sealed. */
  readonly isSealed: boolean
  readonly kind: string
  readonly lines: readonly HoldLine[]
  /** Subjects of later journals about the same hold. If there is any, the hold no longer exists. */
  readonly followedBy: readonly string[]
}

export interface HoldLine {
  readonly account: string
  readonly ownerId: string | undefined
  readonly asset: string
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

export interface Claim {
  readonly order: Order
  /** Whether the order has a valid signature of one of the public keys of orders. */
  readonly isSigned: boolean
  /**
   * Whether the row says that an operator released the order, although it has no valid signature of the
   * release.
   */
  readonly isReleaseForged: boolean
  /** Undefined if no journal ever held the order's money. */
  readonly hold: OrderHold | undefined
}

/**
 * Returns the error of an order that is about to be paid, and what to do about it. Returns undefined if there
 * is no error. Coffer itself causes none of these errors: either somebody else wrote to the database, or a
 * public key of orders is missing.
 */
export function errorOfOrder(claim: Claim): string | undefined {
  const error = findError(claim)
  return error === undefined ? undefined : `${error}. ${remedy}`
}

const remedy =
  'Before payouts resume, find out who changed the database, and restore the row as it was ordered or reject the withdrawal'

function findError({ order, isSigned, isReleaseForged, hold }: Claim): string | undefined {
  const { id } = order
  if (!isSigned) {
    return `the signature of withdrawal ${id} is not valid: the withdrawal is not as it was ordered, or its key is not among the public keys of orders`
  }
  if (isReleaseForged) return `the release of withdrawal ${id} is not signed: no operator approved it`
  if (hold === undefined) return `no journal holds the money of withdrawal ${id}`
  if (!hold.isSealed) return `the hold of withdrawal ${id} is not part of the sealed books`
  if (!isHoldOf(order, hold)) return `the hold of withdrawal ${id} does not match its amount`
  const [later] = hold.followedBy
  if (later !== undefined) return `the hold of withdrawal ${id} was already released: ${later}`
  return undefined
}

/**
 * Checks that the hold has exactly two lines, which move the amount from the merchant's `available` to its
 * `held`.
 */
function isHoldOf({ merchantId, asset, amountMinor }: Order, { kind, lines }: OrderHold): boolean {
  if (kind !== 'withdrawal.requested' || lines.length !== 2) return false
  const has = (account: string, debitMinor: bigint, creditMinor: bigint) =>
    lines.some(
      (line) =>
        line.account === account &&
        line.ownerId === merchantId &&
        line.asset === asset &&
        line.debitMinor === debitMinor &&
        line.creditMinor === creditMinor,
    )
  return has('available', amountMinor, 0n) && has('held', 0n, amountMinor)
}
