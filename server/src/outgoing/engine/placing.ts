/** What becomes of proposals in one round of planning. */
import type { Proposal } from './purpose.ts'
import type { NewPayout } from './store.ts'

export interface Placing {
  /** Each with its wallet, its place in that wallet's order and its price. */
  readonly planned: readonly NewPayout[]
  readonly refused: readonly RefusedProposal[]
  readonly waits: readonly Wait[]
}

/** What the chain says would fail, or what one of our own rules keeps from being signed. */
export interface RefusedProposal {
  readonly proposal: Proposal
  readonly reason: string
  /** Whether a rule of ours refuses it: then the reason is a sentence for whoever ordered it. */
  readonly isOwnRule?: boolean
}

/** Why something is not sent yet; it passes by itself, unlike a halt. */
export interface Wait {
  /**
   * A stable word: `lanes-full`, `funds:<asset>`, `policy:<asset>`, `coins-small`, `capital`, `price`, `stuck`, `cold-address`,
   * `chain-stale`, `unsealed`, `books-unchecked`, `solvency-unchecked`, `gas-budget`, `rate`, `recovery` and, of what is left of
   * it, `recovery-blocks`, `recovery-mempool`, `recovery-coins`, `recovery-refused` and `recovery-finality`;
   * `asset-halted:<asset>` and `recovery-undecided` stand until an operator decides.
   */
  readonly cause: string
  readonly detail: string
}
