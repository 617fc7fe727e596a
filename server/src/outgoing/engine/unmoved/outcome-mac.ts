/** The MAC over what an operator said of a payout that moved nothing: it decides whether a hold is released. */
import type { BooksMacs } from '../../../core/books-macs.ts'

export type UnmovedOutcome = 'paid' | 'unpaid'

export interface DecidedOutcome {
  readonly payoutId: string
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

function macText({ payoutId, blockHash, txHash, outcome }: DecidedOutcome): string {
  return JSON.stringify(['coffer/outcome/1', payoutId.toLowerCase(), blockHash, txHash, outcome])
}
