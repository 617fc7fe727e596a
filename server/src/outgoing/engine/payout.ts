/**
 * One outgoing transaction of ours, whatever it is for: a place in a wallet's order (its nonce) and the attempts that
 * were signed for it. Everything here is pure.
 */

/**
 * planned: it has its nonce, nothing is signed. signed: bytes exist and are stored. broadcast: a node took them.
 * in_doubt: no node knows what became of them; the same bytes are sent again. included: in a canonical block. final: in a
 * block that stays. displaced: a transaction that conflicts with all its attempts is final.
 */
export const payoutStates = [
  'planned',
  'signed',
  'broadcast',
  'in_doubt',
  'included',
  'final',
  'displaced',
] as const
export type PayoutState = (typeof payoutStates)[number]

export interface Payout {
  /** Of what it was planned for, so that nothing is planned twice: a withdrawal's own id, a sweep's. */
  readonly id: string
  readonly network: string
  /** The sending address, in canonical spelling; where money lies in coins, the one that every attempt spends: its anchor. */
  readonly wallet: string
  readonly nonce: number
  readonly state: PayoutState
  /** The most that its dearest attempt can cost in the network's coin, without what it moves. */
  readonly maxCostMinor: bigint
  readonly inclusion: Inclusion | undefined
  readonly plannedAt: Date
}

/** The block that holds one of a payout's attempts, and what its receipt says. */
export interface Inclusion {
  readonly txHash: string
  readonly height: number
  readonly blockHash: string
  /** False where it was mined and did nothing but cost its fee. */
  readonly isSuccess: boolean
  readonly feeMinor: bigint
}

/** Bytes that were signed for a payout. Attempts of one payout share its nonce, so that at most one is ever mined. */
export interface Attempt {
  readonly txHash: string
  readonly payoutId: string
  /** The signed transaction, in hex without prefix. */
  readonly raw: string
  readonly fees: Fees
  readonly signedAt: Date
  readonly broadcastAt: Date | undefined
}

/**
 * What an attempt offers for being mined; per unit of gas in the coin's smallest unit (EIP-1559). Where money lies in coins,
 * gas is virtual bytes (BIP 141), `maxFeeMinor` the price of each, rounded up, and `tipMinor` the whole fee.
 */
export interface Fees {
  readonly gas: bigint
  readonly maxFeeMinor: bigint
  readonly tipMinor: bigint
}

const steps: Readonly<Record<PayoutState, readonly PayoutState[]>> = {
  planned: ['signed'],
  signed: ['broadcast', 'in_doubt', 'included', 'displaced'],
  broadcast: ['in_doubt', 'included', 'displaced'],
  in_doubt: ['broadcast', 'included', 'displaced'],
  included: ['broadcast', 'final'],
  // A dev chain that lost its tail takes final blocks back; elsewhere these are ends.
  final: ['broadcast'],
  displaced: [],
}

/** Whether a payout may go from one state to another. */
export function mayMove(from: PayoutState, to: PayoutState): boolean {
  return steps[from].includes(to)
}

/** The states in which bytes are about that a node may still mine. */
export const openStates: readonly PayoutState[] = ['signed', 'broadcast', 'in_doubt', 'included']

/** The most an attempt can cost beside what it moves. */
export function maxCostMinor({ gas, maxFeeMinor }: Fees): bigint {
  return gas * maxFeeMinor
}

/** A replacement offers at least an eighth more of both; nodes ask for a tenth (geth's txpool.pricebump). */
export function raised(minor: bigint): bigint {
  return (minor * 9n + 7n) / 8n
}

/** After so many raises only an operator decides. */
export const bumpsMax = 6
