/** Tests the rules that keep the mutants of server/simulation consistent with the sources. */
import { describe, expect, it } from 'vitest'
import type { Change, Mutant } from '../../simulation/mutant.ts'
import { mutants } from '../../simulation/mutants/mutants.ts'
import { findRepeatedNames, findUnfitMutants } from './mutant-rules.ts'
import { type Finding, repositoryOf } from './repository.ts'

const file = 'ledger/post.ts'

function mutantOf(...changes: readonly Partial<Change>[]): Mutant {
  return {
    name: 'ledger/any',
    harm: 'A merchant loses money.',
    changes: changes.map((one) => ({ file, from: 'a + b', to: 'a - b', ...one })),
  }
}

describe('a mutant that no longer fits', () => {
  const repository = repositoryOf([
    { path: 'server/src/ledger/post.ts', text: 'export const sum =\n  (a: bigint, b: bigint) => a + b' },
    { path: 'server/src/ledger/post.test.ts', text: 'a + b' },
  ])
  const faultsOf = (mutant: Mutant) =>
    findUnfitMutants([mutant], repository).map(({ path, line, what }: Finding) => `${path}:${line} ${what}`)
  const at = 'server/src/ledger/post.ts:1 the mutant ledger/any'

  it.each([
    ['its text is gone', [{ from: 'a * b' }], `${at} replaces a text that occurs 0 times`],
    ['its text occurs twice', [{ from: 'bigint' }], `${at} replaces a text that occurs 2 times`],
    ['its first change takes the text of its second', [{}, {}], `${at} replaces a text that occurs 0 times`],
    ['it changes nothing', [{ to: 'a + b' }], `${at} replaces a text by itself`],
    [
      'its file is gone',
      [{ file: 'ledger/booking.ts' }],
      'server/src/ledger/booking.ts:1 the mutant ledger/any changes a file that is not there',
    ],
    [
      'its file is a test, which is not planted',
      [{ file: 'ledger/post.test.ts' }],
      'server/src/ledger/post.test.ts:1 the mutant ledger/any changes a file that is not there',
    ],
    [
      'its file cannot be parsed any more',
      [{ to: 'a +' }],
      'server/src/ledger/post.ts:2 the mutant ledger/any cannot be parsed: Expression expected.',
    ],
  ])('is found: %s', (_case, changes, fault) => {
    expect(faultsOf(mutantOf(...changes))).toEqual([fault])
  })

  it('is not a mutant whose second change builds on its first', () => {
    expect(faultsOf(mutantOf({ to: 'a - (b)' }, { from: '- (b)', to: '- 2n * b' }))).toEqual([])
  })
})

it('two mutants with the same name are found', () => {
  const names = ['ledger/a', 'ledger/b', 'ledger/a'].map((name) => ({ name }))
  expect(findRepeatedNames(names).map(({ what }) => what)).toEqual(['two mutants are named ledger/a'])
})

it('every mutant states its capability in its name, and its harm in one sentence', () => {
  for (const { name, harm } of mutants) {
    expect(name).toMatch(/^[a-z]+\/[a-z]+(-[a-z]+)*$/)
    expect(harm, name).toMatch(/^[A-Z][^.]+\.$/)
  }
})
