/** Derives state changes of outgoing transactions from receipts and from our own list of blocks. Pure. */
import type { TransactionReceipt } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import {
  type Inclusion,
  mayMove,
  type OutgoingTransaction,
  type OutgoingTransactionState,
} from './outgoing-transaction.ts'

/** What the nodes and our own list of blocks currently show about an outgoing transaction. */
export interface Observation {
  /** The receipt of one attempt, if its block is in our list of blocks with the same height and hash. */
  readonly receipt: TransactionReceipt | undefined
  /**
   * Whether the stored block of the transaction's inclusion is still in our list of blocks. False if no
   * inclusion is stored.
   */
  readonly isBlockCanonical: boolean
  /** The height of the highest final block. */
  readonly finalHeight: number
}

export type Step =
  | { readonly to: 'broadcast' }
  | { readonly to: 'included' | 'final'; readonly inclusion: Inclusion }

/**
 * Returns the state changes that follow from an observation, in order; empty if the state stays the same. A
 * missing receipt changes nothing, because a node may lag. An inclusion is undone only if its block is no
 * longer in our own list of blocks.
 */
export function stepsBy(
  outgoingTransaction: Pick<OutgoingTransaction, 'state' | 'inclusion'>,
  observation: Observation,
): readonly Step[] {
  const steps = stepsOf(outgoingTransaction, observation)
  let at: OutgoingTransactionState = outgoingTransaction.state
  for (const { to } of steps) {
    assert(to === at || mayMove(at, to), `an outgoing transaction cannot change from ${at} to ${to}`)
    at = to
  }
  return steps
}

/** The result of the check whether a mined outgoing transaction made its expected transfers. */
export type TransferProof =
  /** The block contains all expected transfers, or an operator decided that the order is paid. */
  | 'moved'
  /** An operator decided that the order is not paid; the transaction ends as failed. */
  | 'unpaid'
  /** A transfer is missing in the block and no operator has decided yet, or the block could not be read. */
  | 'open'

/**
 * Returns the steps that remain after the check of the transfers: `open` removes the step to `final`, and
 * `unpaid` turns it into a failure.
 */
export function provenSteps(steps: readonly Step[], proof: TransferProof): readonly Step[] {
  switch (proof) {
    case 'moved':
      return steps
    case 'open':
      return steps.filter(({ to }) => to !== 'final')
    case 'unpaid':
      return steps.map((step) =>
        step.to === 'final' ? { ...step, inclusion: { ...step.inclusion, isSuccess: false } } : step,
      )
  }
}

function stepsOf(
  { state, inclusion }: Pick<OutgoingTransaction, 'state' | 'inclusion'>,
  { receipt, isBlockCanonical, finalHeight }: Observation,
): readonly Step[] {
  if (state === 'planned' || state === 'conflicted') return []
  const isBack = inclusion !== undefined && !isBlockCanonical
  const back: readonly Step[] = isBack ? [{ to: 'broadcast' }] : []
  if (receipt === undefined || (state === 'final' && !isBack)) return back
  const there = inclusionOf(receipt)
  const isSame = !isBack && inclusion?.txHash === there.txHash && inclusion.blockHash === there.blockHash
  const first: readonly Step[] = state === 'signed' ? [{ to: 'broadcast' }] : back
  const other: readonly Step[] = state === 'included' && !isSame && !isBack ? [{ to: 'broadcast' }] : []
  const included: readonly Step[] = isSame ? [] : [{ to: 'included', inclusion: there }]
  const isFinal = there.height <= finalHeight
  return [...first, ...other, ...included, ...(isFinal ? [{ to: 'final' as const, inclusion: there }] : [])]
}

function inclusionOf({ txHash, height, blockHash, isSuccess, feeMinor }: TransactionReceipt): Inclusion {
  return { txHash, height, blockHash, isSuccess, feeMinor }
}
