/** Renders the table of tamperings as a page of docs. */
import { continuousIds } from '../../src/oversight/verify/continuous-check.ts'
import type { Tampering } from './tampering-table.ts'

const head = `# Tamperings

This page lists the changes with which a writer of the database could cost somebody money, and the checks that detect them. The rows are
from \`server/test/verify/tampering-table.ts\`. \`server/test/verify/tamperings.test.ts\` makes each change, as the named role, to books
that real processes made on a development chain, and compares the result with this table.

*Who* is the role with the fewest rights that can make the change: the role of the service (app role), or a superuser of the database, who
can disable triggers and grants. *Resealed* means that all totals and seals were computed again after the change.

*Found by* lists the invariants of \`coffer verify\` that report the change. The continuous check
(\`server/src/oversight/verify/continuous-check.ts\`) evaluates those with a star. Payouts halt with its next run. If the change is in an old
row of very large books, they halt when a round of the check reaches this row. Only \`coffer verify\` evaluates the other invariants, so run it
daily, with access to the nodes and the signer. *Refused* names a test in which the change has no effect, because a process of ours rejects the
row. If payouts halt because of it, an alert reports it at once. Invariants that begin with M23 compare rows with the audit log. The role of
the service can add entries to this log, so these invariants miss an attacker who adds a matching entry. Rows that decide about money
therefore also carry MACs or signatures.

| | what is changed | who | found by; refused where it is used |
| --- | --- | --- | --- |
`

export function tamperingPage(tamperings: readonly Tampering[]): string {
  return `${head}${tamperings.map(rowOf).join('')}`
}

function rowOf(tampering: Tampering): string {
  const { number, what, by, isResealed } = tampering
  return `| ${number} | ${what}${isResealed ? ' (resealed)' : ''} | ${by} | ${outcomeOf(tampering)} |\n`
}

function outcomeOf({ foundBy = [], stoppedBy, notMoney }: Tampering): string {
  if (notMoney !== undefined) return `not found: ${notMoney}`
  const found = foundBy.map((id) => (continuousIds.has(id) ? `${id}\\*` : id)).join(', ')
  const refused = stoppedBy && `refused: \`${stoppedBy.file}\`, "${stoppedBy.title}"`
  return [found, refused].filter(Boolean).join('; ')
}
