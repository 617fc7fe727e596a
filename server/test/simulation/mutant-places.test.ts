/** Tests which compiled code a mutant changes, and when a run counts as having executed it. */
import { expect, it } from 'vitest'
import { hasRun, placesOf } from '../../simulation/mutant-places.ts'
import { compile } from '../../simulation/plant.ts'

const source = `export const most = 5

export function pay(amount: number): number {
  if (amount > most) {
    return most
  }
  return amount
}
`

function placeOf(from: string, to: string) {
  const mutant = { name: 'pay/wrong', file: 'pay.ts', from, to, harm: '' }
  const [place] = placesOf(mutant, () => source)
  if (place === undefined) throw new Error('a mutant with one change has one place')
  return place
}

const compiled = compile('pay.ts', source)

function rangeOf(text: string, count: number) {
  const startOffset = compiled.indexOf(text)
  return { startOffset, endOffset: startOffset + text.length, count }
}

const body = compiled.slice(compiled.indexOf('function pay'))
const block = '{\n        return most;\n    }'
const functionsOf = (...ranges: readonly ReturnType<typeof rangeOf>[]) => [
  { functionName: 'pay', isBlockCoverage: true, ranges: [...ranges] },
]

it('finds the smallest changed text', () => {
  const { file, from, to } = placeOf('return most', 'return most + 1')
  expect(file).toBe('pay.js')
  expect(compiled.slice(0, from)).toMatch(/return most$/)
  expect(to).toBe(from)
})

it('counts code that runs when its file is loaded as executed', () => {
  expect(hasRun(placeOf('most = 5', 'most = 6'), [])).toBe(true)
})

it('counts code of a function that never ran as not executed', () => {
  expect(hasRun(placeOf('return amount', 'return 0'), [])).toBe(false)
})

it('counts a block that never ran as not executed, although its function ran', () => {
  const place = placeOf('    return most\n', '    return 0\n')
  expect(hasRun(place, functionsOf(rangeOf(body, 3), rangeOf(block, 0)))).toBe(false)
  expect(hasRun(place, functionsOf(rangeOf(body, 3), rangeOf(block, 1)))).toBe(true)
})

it('counts a condition as executed if its function ran', () => {
  const place = placeOf('amount > most', 'amount >= most')
  expect(hasRun(place, functionsOf(rangeOf(body, 3), rangeOf(block, 0)))).toBe(true)
})
