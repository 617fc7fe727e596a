/**
 * What payouts are for. Capabilities that send money (withdrawals, collections, treasury) hand one in; payouts know
 * nothing of merchants, sweeps or profit.
 */
import type { ChainReader } from '../../chains/port.ts'
import type { Lease } from '../../platform/db/lease.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Intent, IntentKind, WalletPlace } from '../../signing/intent.ts'
import type { Fees, Inclusion, Payout } from './payout.ts'
import type { OpenOrder } from './recovery/match-orders.ts'
import type { SeenPayment, SeenPayments } from './recovery/seen-payment.ts'

/** A payout with what it carries out. */
export interface IntendedPayout extends Payout {
  readonly intent: Intent
  readonly from: WalletPlace
}

/** Whoever is told what becomes of payouts of some kinds. */
export interface PayoutFollower {
  readonly kinds: readonly IntentKind[]
  /**
   * Told in the transaction that moves payouts of these kinds, which then commits or does not with what is done here.
   * @throws NotWantedError, TamperedError
   */
  moved(tx: Tx, moves: readonly PayoutMove[]): Promise<void>
}

export interface PayoutPurpose extends PayoutFollower {
  /**
   * Called before `propose`, in no transaction: what has to be decided before anything can be proposed, such as the
   * approval of withdrawals. Whatever it writes, it writes under the lease (`assertLease`).
   * @param chain the network by our own nodes; without it nothing new is proven of deposits
   */
  prepare?(lease: Lease, network: string, signal: AbortSignal, chain?: ChainReader): Promise<void>
  /** What should be sent now on a network and is not planned yet, the most urgent first, at most `max`. */
  propose(on: Queryable, network: string, max: number): Promise<readonly Proposal[]>
  /**
   * The order of its own that a payment on the chain paid, of which nobody here knew: the oldest of those that ask for just
   * that and for which nothing was signed. Which of several makes no difference, since each is paid once in the end.
   */
  recognize?(on: Queryable, seen: SeenPayment): Promise<Proposal | undefined>
  /**
   * The same where one transaction pays several: all orders to any of its recipients for which nothing was signed, those
   * first that are taken first.
   */
  findOpenOrders?(on: Queryable, seen: SeenPayments): Promise<readonly OpenOrder[]>
  /**
   * Says of proposals, by their ids, what becomes of them at what they may cost; one that it does not name is planned.
   * Called in no transaction, before anything is planned. Whatever it writes, it writes under the lease.
   */
  weighCosts?(
    lease: Lease,
    network: string,
    costed: readonly CostedProposal[],
  ): Promise<ReadonlyMap<string, CostVerdict>>
  /** Which of what the signer refused before must not be planned anew just now, by their ids. */
  heldBack?(on: Queryable, refused: readonly Proposal[]): Promise<ReadonlySet<string>>
  /**
   * Asked before any bytes are signed for payouts of its kinds: what is wrong with those that nobody ordered, or whose order
   * was given back, by their ids. Then payouts halt.
   */
  findTampered?(
    on: Queryable,
    network: string,
    payouts: readonly IntendedPayout[],
  ): Promise<ReadonlyMap<string, string>>
}

/**
 * What is our own idea: whether it is still of use, and with which coins or lanes, is found anew each time. Of what was refused
 * nothing is kept but how long it rests.
 */
export const foundAnew: readonly IntentKind[] = ['rebalance', 'lift', 'reclaim', 'consolidate']

/** What was proposed was never ordered, or was given back: somebody wrote the database. The plan rolls back, and payouts halt. */
export class TamperedError extends Error {
  override readonly name = 'TamperedError'
}

/** What was proposed is no longer wanted: its order was taken back before it was planned. The plan can only roll back. */
export class NotWantedError extends Error {
  override readonly name = 'NotWantedError'
}

export interface Proposal {
  /** Becomes the payout's id. */
  readonly id: string
  readonly network: string
  readonly intent: Intent
  /** The wallet that must send it; any lane where absent. */
  readonly from?: WalletPlace
  /** Whether a sweep may become several: it was not planned before, so that nobody was told of it as a whole. */
  readonly mayBeSplit?: boolean
  /** What the sending wallet must hold of an asset beside the fee; undefined where nothing is moved from it. */
  readonly spends:
    | { readonly asset: string; readonly contract: string | null; readonly amountMinor: bigint }
    | undefined
}

/** A proposal with what it may cost. */
export interface CostedProposal {
  readonly proposal: Proposal
  readonly fees: Fees
  /** Whether the recipient is a contract, or delegated to one (EIP-7702), whose code a payment of the coin runs. */
  readonly runsCode: boolean
}

export type CostVerdict =
  /** @property feeLimitMinor the most per unit of gas that it may ever offer; undefined: the ceiling of all */
  | { readonly type: 'accept'; readonly feeLimitMinor: bigint | undefined }
  | { readonly type: 'reject'; readonly reason: string }
  | { readonly type: 'wait'; readonly cause: string; readonly detail: string }

export type PayoutMove =
  | { readonly payout: IntendedPayout; readonly to: 'planned' | 'signed' | 'in_doubt' | 'displaced' }
  | { readonly payout: IntendedPayout; readonly to: 'broadcast'; readonly txHash: string }
  | { readonly payout: IntendedPayout; readonly to: 'included' | 'final'; readonly inclusion: Inclusion }
  /**
   * It cannot be carried out: the chain says that it would fail, or a rule of ours forbids it, before anything was signed.
   * Nothing is planned then.
   */
  | {
      readonly proposal: Proposal
      readonly to: 'refused'
      readonly reason: string
      /** Whether the reason is a sentence of ours for whoever ordered it, and not what a node says. */
      readonly isOwnRule?: boolean
    }

/** Tells each purpose of the moves of its kinds, in one call. */
export async function tellPurposes(
  purposes: readonly PayoutFollower[],
  tx: Tx,
  moves: readonly PayoutMove[],
): Promise<void> {
  for (const purpose of purposes) {
    const own = moves.filter((move) => purpose.kinds.includes(kindOf(move)))
    if (own.length > 0) await purpose.moved(tx, own)
  }
}

/** Whether bytes exist already for what is told to be planned: the signer's log had it, and the database did not. */
export function isAdopted(planned: PayoutMove, moves: readonly PayoutMove[]): boolean {
  if (planned.to === 'refused') return false
  const { id, state } = planned.payout
  return state !== 'planned' || moves.some((move) => move.to === 'signed' && move.payout.id === id)
}

function kindOf(move: PayoutMove): IntentKind {
  return move.to === 'refused' ? move.proposal.intent.kind : move.payout.intent.kind
}
