import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { mayImport } from '../layers.ts'
import { folderOf, readRepository, report } from './repository.ts'
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
  it('has no circle, so that every folder has a place above what it imports', () => {
    // The rows are written from the bottom up, which a circle cannot be.
    const rows = Object.keys(mayImport)
    const upward = rows.flatMap((folder, place) =>
      (mayImport[folder] ?? [])
        .filter((lower) => rows.indexOf(lower) >= place)
        .map((lower) => `${folder} -> ${lower}`),
    )
    expect(upward).toEqual([])
  })

  it('names only folders that it has a row for', () => {
    const unknown = Object.values(mayImport)
      .flat()
      .filter((folder) => mayImport[folder] === undefined)
    expect(unknown).toEqual([])
  })
})

const folders = new Set(repository.files.map(({ path }) => folderOf(path)))
const rowsWithoutFolder = Object.keys(mayImport).filter((folder) => !folders.has(folder))
if (rowsWithoutFolder.length > 0)
  process.stderr.write(`Rows of server/test/layers.ts without a folder: ${rowsWithoutFolder.join(', ')}\n`)
