/** Checks that docs/conformance.md names a proof for every sentence of the specification. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readSpecification, statementsOf } from '../conformance/statements.ts'
import { faults, rowsOf, titlesIn } from '../conformance/table.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const table = readFileSync(`${root}docs/conformance.md`, 'utf8')
const statements = readSpecification()

function titlesOf(file: string): ReadonlySet<string> | undefined {
  const path = `${root}server/${file}`
  return existsSync(path) ? titlesIn(readFileSync(path, 'utf8')) : undefined
}

it('has a row for every statement of the specification, and an existing test for every row', () => {
  expect(statements.length).toBeGreaterThan(250)
  expect(faults(statements, rowsOf(table), titlesOf)).toEqual([])
})

it('finds a statement without a row, a row without a statement, and a proof that does not exist', () => {
  const said = [{ section: '', text: 'Errors are kind.' }]
  const kind = { statement: 'Errors are kind.', proofs: ['test/kind.test.ts › they are'] }
  const tests = (file: string) => (file === 'test/kind.test.ts' ? new Set(['they are']) : undefined)
  expect(faults(said, [kind], tests)).toEqual([])
  expect(faults(said, [], tests)).toEqual(['no row, or not in its place: Errors are kind.'])
  expect(faults([], [kind], tests)).toEqual(['the specification does not say: Errors are kind.'])
  expect(faults(said, [{ ...kind, proofs: [] }], tests)).toEqual(['no proof: Errors are kind.'])
  expect(faults(said, [{ ...kind, proofs: ['test/kind.test.ts › never'] }], tests)).toHaveLength(1)
  expect(faults(said, [{ ...kind, proofs: ['test/gone.test.ts › they are'] }], tests)).toHaveLength(1)
  expect(faults(said, [{ ...kind, proofs: ['— leaves it open'] }], tests)).toHaveLength(1)
})

it('reads sentences, bullets and rows as separate statements', () => {
  const read = statementsOf(
    '# T\n\n## A\n\nOne. `Two` is here.\n\n- three: x.\n\n| F | T |\n|---|---|\n| a | `x|y` |\n',
  )
  expect(read.map(({ text }) => text)).toEqual(['One.', '`Two` is here.', 'three: x.', 'a · `x|y`'])
  expect(read[0]?.section).toBe('A')
})

it('reads titles as they are written', () => {
  const source =
    "it('a', f)\nit.each([1, 2])('b %s', f)\nit(`c`, f)\nit('it\\'s d', f)\nit.each(['x'])(\n 'e', f)"
  expect([...titlesIn(source)]).toEqual(['a', 'b %s', 'c', "it's d", 'e'])
})
