/** Tests with which seeds a mutant runs, and what a later run takes from the file of an earlier one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MutantTable } from '../../simulation/mutant-table.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-mutants-'))
  path = join(folder, 'table.jsonl')
})

afterEach(() => rmSync(folder, { recursive: true }))

const seeds = [1, 2, 3, 4, 5]
const trial = { mutant: 'ledger/a', seeds: 3, runs: 2, seconds: 1, finding: 'the balance of merchant 1 is 0' }

it('chooses the seeds that run the code of a mutant, and one other', () => {
  const table = new MutantTable(undefined, 'c1')
  table.addReach(1, ['ledger/a'])
  table.addReach(2, [])
  table.addReach(3, ['ledger/b'])
  table.addReach(4, null)
  // Nobody knows what seed 5 runs. Seed 4 finds something without a mutant.
  expect(table.seedsFor('ledger/a', seeds)).toEqual([1, 2, 5])
})

it('rejects its results if a seed found a mutant whose code it does not run', () => {
  const table = new MutantTable(undefined, 'c1')
  table.addReach(3, ['ledger/a'])
  table.add(trial)
  table.requireReached()
  table.addReach(3, ['ledger/b'])
  expect(() => table.requireReached()).toThrow('seed 3 found ledger/a, but its coverage says')
})

it('continues from a file with the results of the same commit', () => {
  const first = new MutantTable(path, 'c1')
  first.addReach(1, [])
  first.addReach(2, ['ledger/a'])
  first.addReach(3, null)
  first.add(trial)
  const same = new MutantTable(path, 'c1')
  expect(same.knownOf('ledger/a')).toMatchObject(trial)
  expect(same.hasReach(3)).toBe(true)
  expect(same.seedsFor('ledger/a', [2, 3])).toEqual([2])
  const other = new MutantTable(path, 'c2')
  expect(other.knownOf('ledger/a')).toBeUndefined()
  expect(other.hasReach(1)).toBe(false)
})
