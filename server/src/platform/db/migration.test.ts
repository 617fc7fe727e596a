import { describe, expect, it } from 'vitest'
import { type Migration, pendingOf, readMigrations } from './migration.ts'

const migration = (name: string, checksum = `sum of ${name}`): Migration => ({
  name,
  checksum,
  sql: '',
  onlyExpands: false,
})
const first = migration('0001-a.sql')
const second = migration('0002-b.sql')
const third = migration('0003-c.sql')

describe('pendingOf', () => {
  it('gives what is not applied, in order', () => {
    expect(pendingOf([first, second, third], [first])).toEqual([second, third])
    expect(pendingOf([first], [first])).toEqual([])
  })

  it('refuses a database that knows more than the code', () => {
    expect(() => pendingOf([first], [first, second])).toThrow(/newer than this Coffer.*0002-b\.sql/)
  })

  it('goes on with a database whose unknown migrations only expand, and names the one that does not', () => {
    const expanding = { ...second, onlyExpands: true }
    expect(pendingOf([first], [first, expanding])).toEqual([])
    expect(() => pendingOf([first], [first, expanding, third])).toThrow(
      /it has 0003-c\.sql, which this Coffer/,
    )
  })

  it('refuses a migration that would run after one that is unknown and only expands', () => {
    expect(() => pendingOf([first, second], [first, { ...third, onlyExpands: true }])).toThrow(
      /0002-b\.sql would run after 0003-c\.sql.*newer Coffer/,
    )
  })

  it('refuses a migration that changed after it was applied', () => {
    expect(() => pendingOf([migration('0001-a.sql', 'other')], [first])).toThrow(/0001-a\.sql was changed/)
  })

  it('refuses a migration that would run after a later one', () => {
    expect(() => pendingOf([first, second, third], [first, third])).toThrow(
      /0002-b\.sql would run after 0003-c/,
    )
  })
})

describe('readMigrations', () => {
  it('finds the migrations of this package, numbered from 0001 without a gap', async () => {
    const names = (await readMigrations()).map(({ name }) => Number(name.slice(0, 4)))
    expect(names.length).toBeGreaterThan(0)
    expect(names).toEqual(names.map((_, index) => index + 1))
  })
})
