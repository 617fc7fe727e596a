/** Reports missed payments that the continuous search found and that nobody has booked. */
import sql from 'sql-template-tag'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneScan } from '../scan.ts'

interface Row {
  readonly network: string
  readonly address: string
  readonly asset: string
  readonly height: number
  readonly amount: string
  readonly state: string
}

/**
 * A missed payment with the state "unexplained" is only a remark: an operator tried to book it, but no
 * transfer explains it.
 */
export const missedPaymentsAreBooked: Invariant = inOneScan({
  id: 'M7-search',
  title: 'payments that the search of addresses and past blocks found are booked',
  unit: 'findings',
  check: async ({ on }) => {
    const rows = await on.query<Row>(sql`
      select network, address, asset, height, amount_minor::text as amount, state from missed_payment order by id`)
    const findingOf = (state: string) =>
      rows
        .filter((row) => row.state === state)
        .map(
          ({ address, asset, amount, height }) =>
            `${address} holds ${amount} ${asset} from block ${height} that are not booked`,
        )
    const findings = findingOf('open').map((sentence) => `${sentence}: run "coffer recover --missed"`)
    const remarks = findingOf('unexplained').map((sentence) => `${sentence}, and no transfer explains it`)
    return {
      examined: rows.length,
      findings: findings.slice(0, findingsMax),
      remarks: remarks.slice(0, findingsMax),
    }
  },
})
