/** Renders the table of tamperings as a page of docs. */
import { continuousIds } from '../../src/oversight/verify/continuous-check.ts'
import type { Tampering } from './tampering-table.ts'

const head = `# Tamperings

What somebody who writes the database can change so that it costs somebody money, and who notices. The table is that of
\`server/test/verify/tampering-table.ts\`; \`server/test/verify/tamperings.test.ts\` does each of them to books that real
processes made on a development chain, as the role that is named, and holds the outcome to it.

*Who* is the least who can do it: the role that the service works as, or a superuser of the database, who can switch triggers and
grants off. *Resealed* means that totals and every seal were made anew afterwards.

*Found by* names the invariants of \`coffer verify\`, which prints what each of them says. Those with a star are in the check that
never ends (\`server/src/oversight/verify/continuous-check.ts\`): payouts halt with its next run, or,
where an old row of very large books is concerned, once its round comes to it. The others are found when \`coffer verify\` is
run, so run it daily, with the chain and the signer at hand. *Refused* names a test in which what was changed has no effect, since a
process of ours does not believe it: where it halts payouts, its alert says so at once. Invariants that begin with M23 compare rows with the audit log, to which
the role of the service can add entries: they find who did not think of that. Rows that decide about money carry MACs or signatures
beside it.

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
