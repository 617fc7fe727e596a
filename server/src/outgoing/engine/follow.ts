/** What receipts and our own list of blocks mean for a payout. Pure. */
import type { TransactionReceipt } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import { type Inclusion, mayMove, type Payout, type PayoutState } from './payout.ts'

/** What is known of a payout just now. */
export interface Sight {
  /** Of any of its attempts, where its block is in our list under that very hash. */
  readonly receipt: TransactionReceipt | undefined
  /** Whether the block that the payout is included in is still in our list; false where it is in none. */
  readonly keepsBlock: boolean
  /** The highest height that stays. */
  readonly finalHeight: number
}

export type Step =
  | { readonly to: 'broadcast' }
  | { readonly to: 'included' | 'final'; readonly inclusion: Inclusion }

/**
 * The states a payout goes through by what is seen, in order; none where nothing changed. That a node knows no receipt
 * means nothing by itself: it may lag. Only our own list takes a block back.
 */
export function stepsBy(payout: Pick<Payout, 'state' | 'inclusion'>, sight: Sight): readonly Step[] {
  const steps = stepsOf(payout, sight)
  let at: PayoutState = payout.state
  for (const { to } of steps) {
    assert(to === at || mayMove(at, to), `a payout does not go from ${at} to ${to}`)
    at = to
  }
  return steps
}

/** What a look at the transfers of a payout came to that would be final by its receipt. */
export type TransferProof =
  /** The block holds all that it was to move, or an operator says that it is paid. */
  | 'moved'
  /** An operator says that it is not paid: it ends as one that did nothing. */
  | 'unpaid'
  /** The block does not hold it and nobody has decided, or the block could not be read. */
  | 'open'

/** The steps that a proof leaves of those that a receipt means. */
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
  { state, inclusion }: Pick<Payout, 'state' | 'inclusion'>,
  { receipt, keepsBlock, finalHeight }: Sight,
): readonly Step[] {
  if (state === 'planned' || state === 'displaced') return []
  const isBack = inclusion !== undefined && !keepsBlock
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
