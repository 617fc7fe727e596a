/** The table of docs/conformance.md: the statements of the specification, and the test that proves each. */
import { cells, type Statement } from './statements.ts'

export interface Row {
  readonly statement: string
  /** The proofs as `<test file> › <title>`, or the reason why there is nothing to prove. */
  readonly proofs: readonly string[]
}

/** Reasons for statements that promise nothing a test could check. Each reason must fit its statement. */
const exemptions: Readonly<Record<string, (statement: string) => boolean>> = {
  '— introduces what follows': (statement) =>
    statement.endsWith(':') ||
    statement.endsWith('}/invoices.') ||
    [
      'POST /merchants/{merchantID}/withdrawals.',
      'States are given as named values only.',
      'Two methods exist.',
    ].includes(statement),
  '— not done: nothing is paid out yet': (statement) => statement.startsWith('withdrawal.completed'),
  '— leaves it open': (statement) => statement.includes('not shown'),
  '— describes this document': (statement) =>
    /this document|document\.|base address|reference requests/i.test(statement),
  "— asks it of the receiver's side": (statement) => statement.startsWith('A receiver'),
}

export function rowsOf(markdown: string): readonly Row[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| (?!The specification says|---)/.test(line))
    .map(cells)
    .map(([statement = '', proof = '']) => ({
      statement,
      proofs: proof
        .split('<br>')
        .map((part) => part.trim())
        .filter(Boolean),
    }))
}

/**
 * Returns the errors of the table. It has none if every statement has a row, in order, and every row has a
 * proof that exists.
 */
export function faults(
  statements: readonly Statement[],
  rows: readonly Row[],
  titlesOf: (file: string) => ReadonlySet<string> | undefined,
): readonly string[] {
  const index = statements.findIndex(({ text }, index) => rows[index]?.statement !== text)
  const extra = rows[statements.length]
  return [
    ...(index < 0 ? [] : [`no row, or not in its place: ${statements[index]?.text}`]),
    ...(index < 0 && extra !== undefined ? [`the specification does not say: ${extra.statement}`] : []),
    ...rows.flatMap((row) => proofFaults(row, titlesOf)),
  ]
}

function proofFaults(
  { statement, proofs }: Row,
  titlesOf: (file: string) => ReadonlySet<string> | undefined,
): readonly string[] {
  if (proofs.length === 0) return [`no proof: ${statement}`]
  return proofs.flatMap((proof) => {
    if (proof.startsWith('—')) {
      return exemptions[proof]?.(statement) === true ? [] : [`"${proof}" does not fit: ${statement}`]
    }
    const [file = '', title = ''] = proof.split(' › ')
    const titles = titlesOf(file)
    if (titles === undefined) return [`no test file ${file}: ${statement}`]
    return titles.has(title) ? [] : [`${file} has no test "${title}": ${statement}`]
  })
}

/**
 * Returns the titles of a test file's `it` calls as they are written: `it('title'`, `it.each(...)('title'`.
 */
export function titlesIn(source: string): ReadonlySet<string> {
  const calls = source.matchAll(/(?:\bit|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/gs)
  return new Set([...calls].map(([, , title = '']) => title.replaceAll(/\\(.)/g, '$1')))
}
