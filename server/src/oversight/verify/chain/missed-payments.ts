/** What the standing search found at addresses and nobody has booked. */
import sql from 'sql-template-tag'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneLook } from '../look.ts'

interface Row {
  readonly network: string
  readonly address: string
  readonly asset: string
  readonly height: number
  readonly amount: string
  readonly state: string
}

/** What no transfer explains was looked at by an operator, and is told on. */
export const missedPaymentsAreBooked: Invariant = inOneLook({
  id: 'M7-search',
  title: 'payments that the search of addresses and past blocks found are booked',
  unit: 'findings',
  check: async ({ on }) => {
    const rows = await on.query<Row>(sql`
      select network, address, asset, height, amount_minor::text as amount, state from missed_payment order by id`)
    const told = (state: string) =>
      rows
        .filter((row) => row.state === state)
        .map(
          ({ address, asset, amount, height }) =>
            `${address} holds ${amount} ${asset} of block ${height} that the books do not tell of`,
        )
    const findings = told('open').map((sentence) => `${sentence}: run "coffer recover --missed"`)
    const remarks = told('unexplained').map((sentence) => `${sentence}, and no transfer explains it`)
    return {
      examined: rows.length,
      findings: findings.slice(0, findingsMax),
      remarks: remarks.slice(0, findingsMax),
    }
  },
})
