/** The result of one round of planning. */
import type { Proposal } from './outgoing-source.ts'
import type { NewOutgoingTransaction } from './store.ts'

export interface PlanningOutcome {
  /** The transactions to store, each with its slot (a nonce or a pinned outpoint) and its fees. */
  readonly planned: readonly NewOutgoingTransaction[]
  readonly refused: readonly RefusedProposal[]
  readonly waits: readonly Wait[]
}

/** A proposal that is not planned, because it would fail on chain or because one of our rules forbids it. */
export interface RefusedProposal {
  readonly proposal: Proposal
  readonly reason: string
  /**
   * Whether a rule of ours refuses the proposal; the reason is then a sentence for the person who gave the
   * order.
   */
  readonly isOwnRule?: boolean
}

/** A reason why some payments are not sent yet. Unlike a halt, a wait usually ends without an operator. */
export interface Wait {
  /**
   * A stable code: `hot-wallets-full`, `funds:<asset>`, `policy:<asset>`, `utxos-small`, `capital`, `price`, `fee-model`,
   * `stuck`, `cold-address`, `chain-stale`, `unsealed`, `books-unchecked`, `solvency-unchecked`,
   * `gas-budget`, `rate` or `recovery`. The codes `recovery-blocks`, `recovery-mempool`, `recovery-utxos`,
   * `recovery-refused` and `recovery-finality` say what a recovery still waits for. The codes
   * `asset-halted:<asset>`, `recovery-undecided` and `recovery-unbooked` last until an operator decides.
   */
  readonly cause: string
  readonly detail: string
}
