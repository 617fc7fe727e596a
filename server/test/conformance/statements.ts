/** Splits the specification into statements: a sentence, a bullet's sentence, or a row of a table. */

import { readFileSync } from 'node:fs'

export interface Statement {
  /** The headings above the statement, outermost first. */
  readonly section: string
  readonly text: string
}

/** Returns the statements of contract/spec.md. */
export function readSpecification(): readonly Statement[] {
  return statementsOf(readFileSync(new URL('../../../contract/spec.md', import.meta.url), 'utf8'))
}

/** Returns the statements of a Markdown document in order. A table row becomes its cells, joined by " · ". */
export function statementsOf(markdown: string): readonly Statement[] {
  const statements: Statement[] = []
  const headings: string[] = []
  let isTable = false
  for (const line of markdown.split('\n')) {
    const heading = /^(#{1,3}) (.+)$/.exec(line)
    if (heading?.[1] !== undefined && heading[2] !== undefined) {
      headings.length = heading[1].length - 1
      headings.push(heading[2])
    }
    const section = headings.slice(1).join(' / ')
    if (line.startsWith('|')) {
      if (isTable && !/^\|(?:-+\|)+$/.test(line)) statements.push({ section, text: rowText(line) })
      isTable = true
      continue
    }
    isTable = false
    if (heading === null) for (const text of sentences(line)) statements.push({ section, text })
  }
  return statements
}

function rowText(line: string): string {
  return cells(line).filter(Boolean).join(' · ')
}

/** Returns the cells of a table row. A pipe within backquotes or after a backslash does not divide cells. */
export function cells(line: string): readonly string[] {
  const parts = line.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? []
  return parts.map((part) => part.replaceAll('\\|', '|').trim())
}

function sentences(line: string): readonly string[] {
  const text = line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim()
  return text === '' ? [] : text.split(/(?<=[.!?]) (?=[A-Z`])/)
}
