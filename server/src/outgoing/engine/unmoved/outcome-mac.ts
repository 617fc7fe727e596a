/**
 * The MAC over an operator's decision about an outgoing transaction that lacks an expected transfer. The MAC
 * is needed because the decision may release the money that is held for a withdrawal.
 */
import type { BooksMacs } from '../../../core/books-macs.ts'

export type UnmovedOutcome = 'paid' | 'unpaid'

export interface DecidedOutcome {
  readonly outgoingTransactionId: string
  readonly blockHash: string
  readonly txHash: string
  readonly outcome: UnmovedOutcome
}

export function outcomeMac(macs: BooksMacs, decided: DecidedOutcome): string {
  return macs.outcome.mac(macText(decided))
}

export function hasOutcomeMac(macs: BooksMacs, decided: DecidedOutcome, mac: string): boolean {
  return macs.outcome.verify(macText(decided), mac)
}

function macText({ outgoingTransactionId, blockHash, txHash, outcome }: DecidedOutcome): string {
  return JSON.stringify(['coffer/outcome/1', outgoingTransactionId.toLowerCase(), blockHash, txHash, outcome])
}
