/**
 * The interface between the engine and the modules that send money: withdrawals, sweeps and treasury. The
 * engine knows nothing of merchants or profit.
 */
import type { ChainReader } from '../../chains/port.ts'
import type { Lease } from '../../platform/db/lease.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { EvmKeyPath, Intent, IntentKind } from '../../signing/intent.ts'
import type { EvmOutgoingFees, FamilyTerms, Inclusion, OutgoingTransaction } from './outgoing-transaction.ts'
import type { OpenOrder } from './recovery/match-orders.ts'
import type { SeenPayment, SeenPayments } from './recovery/seen-payment.ts'

/** An outgoing transaction with its intent, slot and fees. */
export type IntendedOutgoingTransaction = OutgoingTransaction & { readonly intent: Intent } & FamilyTerms

/** A module that is notified when outgoing transactions of its kinds change their state. */
export interface OutgoingListener {
  readonly kinds: readonly IntentKind[]
  /**
   * Called in the database transaction that changes the state of outgoing transactions of these kinds. What
   * the listener writes in `tx` commits or rolls back together with the new states.
   * @throws NotWantedError, TamperedError
   */
  moved(tx: Tx, moves: readonly OutgoingMove[]): Promise<void>
}

export interface OutgoingSource extends OutgoingListener {
  /**
   * Called before `propose`, outside any database transaction. Makes the decisions on which proposals depend,
   * such as the approval of withdrawals. Every write checks the lease (`assertLease`).
   * @param chain reads blocks from our own nodes, to verify deposits; if undefined, no further deposit is
   * verified on chain
   */
  prepare?(lease: Lease, network: string, signal: AbortSignal, chain?: ChainReader): Promise<void>
  /**
   * Returns at most `max` proposals for a network that should be sent now and are not planned yet, the most
   * urgent first.
   */
  propose(on: Queryable, network: string, max: number): Promise<readonly Proposal[]>
  /**
   * Returns the order that a payment on chain paid, if the database does not know the transaction of that
   * payment. Several orders may have the same asset, recipient and amount. Of those for which nothing was
   * signed, the oldest is returned. The choice makes no difference, because each of these orders is paid once
   * in the end.
   */
  recognize?(on: Queryable, seen: SeenPayment): Promise<Proposal | undefined>
  /**
   * Returns the orders that a transaction on chain may have paid, if the database does not know that
   * transaction. Each of these orders pays one of the transaction's recipients, and nothing was signed for it.
   * The orders come in the sequence in which outputs are matched with them. Called for transactions that may
   * pay several orders.
   */
  findOpenOrders?(on: Queryable, seen: SeenPayments): Promise<readonly OpenOrder[]>
  /**
   * Decides for each proposal whether it is accepted at its maximum cost. Returns verdicts by proposal id; a
   * proposal without a verdict is planned. Called before anything is planned, outside any database
   * transaction. Every write checks the lease.
   */
  weighCosts?(
    lease: Lease,
    network: string,
    costed: readonly CostedProposal[],
  ): Promise<ReadonlyMap<string, CostVerdict>>
  /** Returns the ids of refused proposals that must not be planned again yet. */
  heldBack?(on: Queryable, refused: readonly Proposal[]): Promise<ReadonlySet<string>>
  /**
   * Called before any bytes are signed for outgoing transactions of this source's kinds. Returns, by id, an
   * error text for each transaction that nobody ordered or whose order was cancelled. One error halts all
   * outgoing transactions.
   */
  findTampered?(
    on: Queryable,
    network: string,
    outgoingTransactions: readonly IntendedOutgoingTransaction[],
  ): Promise<ReadonlyMap<string, string>>
}

/**
 * The kinds of transactions that the engine itself proposes. In each round, the engine decides again whether
 * such a transaction is useful, and which UTXOs or hot wallets it uses. A refused transaction of these kinds
 * is therefore not planned again.
 */
export const foundAnew: readonly IntentKind[] = ['rebalance', 'cpfp', 'reclaim', 'consolidate']

/**
 * Thrown when a proposal does not match a valid order, so somebody else must have written to the database.
 * The plan rolls back, and all outgoing transactions are halted.
 */
export class TamperedError extends Error {
  override readonly name = 'TamperedError'
}

/**
 * Thrown when a proposal cannot be planned any more, for example because its order was cancelled meanwhile.
 * The plan rolls back.
 */
export class NotWantedError extends Error {
  override readonly name = 'NotWantedError'
}

export interface Proposal {
  /** The id of the outgoing transaction if the proposal is planned. */
  readonly id: string
  readonly network: string
  readonly intent: Intent
  /** The key of the wallet that must send the transaction; if undefined, any hot wallet may send it. */
  readonly from?: EvmKeyPath
  /**
   * Whether a sweep may be split into several sweeps. A sweep that was planned before may not be split,
   * because its outgoing source has stored it as a whole.
   */
  readonly mayBeSplit?: boolean
  /**
   * The amount of an asset that the sending wallet must hold in addition to the fee; undefined if only the
   * fee leaves the wallet.
   */
  readonly spends:
    | { readonly asset: string; readonly contract: string | null; readonly amountMinor: bigint }
    | undefined
}

/** A proposal with the fees that decide its maximum cost. */
export interface CostedProposal {
  readonly proposal: Proposal
  readonly fees: EvmOutgoingFees
  /**
   * Whether the recipient is a contract or an account that delegates to a contract (EIP-7702). A payment of
   * the coin to such a recipient runs code.
   */
  readonly runsCode: boolean
}

export type CostVerdict =
  /**
   * @property maxFeePerGasLimit is the highest `maxFeePerGas` that any attempt of the transaction may offer;
   * if undefined, only the general maximum applies
   */
  | { readonly type: 'accept'; readonly maxFeePerGasLimit: bigint | undefined }
  | { readonly type: 'reject'; readonly reason: string }
  | { readonly type: 'wait'; readonly cause: string; readonly detail: string }

export type OutgoingMove =
  | {
      readonly outgoingTransaction: IntendedOutgoingTransaction
      readonly to: 'planned' | 'signed' | 'needs_recheck' | 'conflicted'
    }
  | {
      readonly outgoingTransaction: IntendedOutgoingTransaction
      readonly to: 'broadcast'
      readonly txHash: string
    }
  | {
      readonly outgoingTransaction: IntendedOutgoingTransaction
      readonly to: 'included' | 'final'
      readonly inclusion: Inclusion
    }
  /**
   * The proposal is given up: it is not planned, and nothing was signed for it. Either the chain reports that
   * it would fail, or a rule of ours forbids it, or an operator dropped it.
   */
  | {
      readonly proposal: Proposal
      readonly to: 'refused'
      readonly reason: string
      /**
       * Whether a rule of ours refuses the proposal. The reason is then written for the person who gave the
       * order; it is not the text of a node.
       */
      readonly isOwnRule?: boolean
    }

/** Notifies each outgoing source, in one call, of all moves of its kinds. */
export async function notifySources(
  outgoingSources: readonly OutgoingListener[],
  tx: Tx,
  moves: readonly OutgoingMove[],
): Promise<void> {
  for (const outgoingSource of outgoingSources) {
    const own = moves.filter((move) => outgoingSource.kinds.includes(kindOf(move)))
    if (own.length > 0) await outgoingSource.moved(tx, own)
  }
}

/**
 * Returns true if signed bytes already exist for a transaction that is reported as planned. Such a
 * transaction was adopted from the signer's log or from the chain.
 */
export function isAdopted(planned: OutgoingMove, moves: readonly OutgoingMove[]): boolean {
  if (planned.to === 'refused') return false
  const { id, state } = planned.outgoingTransaction
  return (
    state !== 'planned' || moves.some((move) => move.to === 'signed' && move.outgoingTransaction.id === id)
  )
}

function kindOf(move: OutgoingMove): IntentKind {
  return move.to === 'refused' ? move.proposal.intent.kind : move.outgoingTransaction.intent.kind
}
