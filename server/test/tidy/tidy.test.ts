import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { capabilityAt, mayImport } from '../layers.ts'
import { readRepository, report, sourcePathOf } from './repository.ts'
import { rules } from './rules.ts'

const repository = readRepository(fileURLToPath(new URL('../../..', import.meta.url)))

describe('the repository is tidy', () => {
  for (const rule of rules)
    it(rule.title, () => {
      const faults = report(rule.find(repository))
      if (faults !== '') throw new Error(`\n${faults}\n`)
    })
})

describe('the table of layers', () => {
  it('has no cycle, so that every capability is above those that it imports', () => {
    // The rows must be in order from the bottom up, which is impossible with a cycle.
    const rows = Object.keys(mayImport)
    const upward = rows.flatMap((capability, row) =>
      (mayImport[capability] ?? [])
        .filter((lower) => rows.indexOf(lower) >= row)
        .map((lower) => `${capability} -> ${lower}`),
    )
    expect(upward).toEqual([])
  })

  it('keeps the capabilities of a district together, so that no import between districts points upwards', () => {
    const names = Object.keys(mayImport).map((capability) => capability.split('/', 1)[0])
    const blocks = names.filter((name, row) => name !== names[row - 1])
    expect(blocks).toEqual([...new Set(names)])
  })

  it('names only capabilities that have a row', () => {
    const unknown = Object.values(mayImport)
      .flat()
      .filter((capability) => mayImport[capability] === undefined)
    expect(unknown).toEqual([])
  })
})

const capabilities = new Set(repository.files.map(({ path }) => capabilityAt(sourcePathOf(path) ?? '')))
const emptyRows = Object.keys(mayImport).filter((capability) => !capabilities.has(capability))
if (emptyRows.length > 0)
  process.stderr.write(`Rows of server/test/layers.ts without a file: ${emptyRows.join(', ')}\n`)
