/** Whether an order is still wanted, as the process that took it signed it and as the books say. Everything here is pure. */
import type { Order } from '../../../signing/order-signature.ts'

/** What the books say of the money of an order. */
export interface OrderHold {
  /** Whether the journal that held it has its place in the sealed history. */
  readonly isSealed: boolean
  readonly kind: string
  readonly lines: readonly HoldLine[]
  /** What has been posted of it since: whatever it is, the hold does not stand any more. */
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
  /** Whether the signature that comes with it is one of the order, by a key that counts. */
  readonly isSigned: boolean
  /** Whether an operator is said to have let it go whose word nobody signed. */
  readonly isReleaseForged: boolean
  /** Undefined where no journal ever held it. */
  readonly hold: OrderHold | undefined
}

/**
 * What is wrong with an order that is about to be paid, and what to do; undefined where it is wanted. None of it comes about
 * by anything that Coffer does: somebody wrote the database, or a key of orders is missing.
 */
export function faultOfOrder(claim: Claim): string | undefined {
  const fault = findFault(claim)
  return fault === undefined ? undefined : `${fault}. ${remedy}`
}

const remedy =
  'Find out who wrote the database, and put its row back as it was ordered, or reject the order, before payouts go on'

function findFault({ order, isSigned, isReleaseForged, hold }: Claim): string | undefined {
  const { id } = order
  if (!isSigned) {
    return `the signature of withdrawal ${id} does not fit: it is not what was ordered, or its key is not among the public keys of orders`
  }
  if (isReleaseForged) return `the release of withdrawal ${id} is not signed: no operator let it go`
  if (hold === undefined) return `no journal holds the money of withdrawal ${id}`
  if (!hold.isSealed) return `the hold of withdrawal ${id} is not part of the sealed books`
  if (!isHoldOf(order, hold)) return `what is held for withdrawal ${id} is not its amount`
  const [later] = hold.followedBy
  if (later !== undefined) return `the hold of withdrawal ${id} was released before: ${later}`
  return undefined
}

/** Exactly two lines: from what the merchant has available to what is held of it. */
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
