import { credit, debit, type Journal, journal } from '../../ledger/journal.ts'
import type { Inclusion } from './payout.ts'

/** What the books say that a payout's transactions cost, and in how many journals. */
export interface BookedFees {
  readonly minor: bigint
  readonly journals: number
}

export function feeSubject(txHash: string): string {
  return `network-fee:${txHash}`
}

/** Books the network fee of a transaction of ours at the operator's cost. @param coin the asset's name in the ledger */
export function feeJournal(coin: string, { txHash, feeMinor }: Inclusion): Journal {
  const { paid, left } = accounts(coin)
  return journal({
    kind: 'network-fee.paid',
    subject: feeSubject(txHash),
    lines: [debit(paid, feeMinor), credit(left, feeMinor)],
  })
}

/**
 * What a transaction cost more or less than is booked: a dev chain took it back when it was final, and it was mined again
 * at another fee, or another attempt was. Undefined where the books are right.
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
