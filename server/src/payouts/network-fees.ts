import { credit, debit, type Journal, journal } from '../ledger/journal.ts'
import type { Inclusion } from './payout.ts'

export function feeSubject(txHash: string): string {
  return `network-fee:${txHash}`
}

/** design 6: "network fee of our own transaction". @param coin as the ledger calls it */
export function feeJournal(coin: string, { txHash, feeMinor }: Inclusion): Journal {
  return journal({
    kind: 'network-fee.paid',
    subject: feeSubject(txHash),
    lines: [
      debit({ name: 'network_fees', asset: coin }, feeMinor),
      credit({ name: 'custody', asset: coin }, feeMinor),
    ],
  })
}
