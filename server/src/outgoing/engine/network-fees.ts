/** Journals for the network fees of outgoing transactions. */
import { credit, debit, type Journal, journal } from '../../ledger/journal.ts'
import type { Inclusion } from './outgoing-transaction.ts'

/**
 * The network fees that are booked for an outgoing transaction, and the number of journals that book them.
 */
export interface BookedFees {
  readonly minor: bigint
  readonly journals: number
}

export function feeSubject(txHash: string): string {
  return `network-fee:${txHash}`
}

/**
 * Returns the journal that books the network fee of an outgoing transaction at the operator's cost.
 * @param coin is the name of the network's coin in the ledger
 */
export function feeJournal(coin: string, { txHash, feeMinor }: Inclusion): Journal {
  const { paid, left } = accounts(coin)
  return journal({
    kind: 'network-fee.paid',
    subject: feeSubject(txHash),
    lines: [debit(paid, feeMinor), credit(left, feeMinor)],
  })
}

/**
 * Returns the journal that corrects a booked network fee; undefined if the booked fee is right. A fee can be
 * wrong after a final block was undone: the transaction is then mined with another fee, or another attempt is
 * mined.
 */
export function correctionJournal(
  coin: string,
  { txHash, feeMinor }: Inclusion,
  { minor, journals }: BookedFees,
): Journal | undefined {
  const moreMinor = feeMinor - minor
  if (moreMinor === 0n) return undefined
  const { paid, left } = accounts(coin)
  const lines =
    moreMinor > 0n
      ? [debit(paid, moreMinor), credit(left, moreMinor)]
      : [debit(left, -moreMinor), credit(paid, -moreMinor)]
  return journal({ kind: 'network-fee.corrected', subject: `${feeSubject(txHash)}:${journals}`, lines })
}

function accounts(coin: string) {
  return { paid: { name: 'network_fees', asset: coin }, left: { name: 'custody', asset: coin } } as const
}
