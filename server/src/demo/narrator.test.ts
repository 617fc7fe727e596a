import { expect, it } from 'vitest'
import { openNarrator } from './narrator.ts'

async function narrate(isColoured: boolean): Promise<string[]> {
  const lines: string[] = []
  const narrator = openNarrator({ print: (line) => lines.push(line), isColoured })
  const value = await narrator.step('Short', async () => ({ lines: ['first', 'second'], value: 7 }))
  expect(value).toBe(7)
  const failing = narrator.step('A title of more words', () => Promise.reject(new Error('it did not come')))
  await expect(failing).rejects.toThrow('A title of more words')
  expect(narrator.steps).toBe(2)
  return lines
}

it('numbers the steps and puts what they did in one column', async () => {
  const [first = '', second = '', failed = '', ...rest] = await narrate(false)
  expect(rest).toEqual([])
  expect(first).toMatch(/^ {2}1 {2}Short +\d\.\d\d s {3}first$/)
  expect(second).toMatch(/^ +second$/)
  expect(failed).toMatch(/^ {2}2 {2}A title of more words +\d\.\d\d s {3}FAILED {2}it did not come$/)
  expect(second.indexOf('second')).toBe(first.indexOf('first'))
  expect(failed.indexOf('FAILED')).toBe(first.indexOf('first'))
})

it('has colours only where asked for, and says the same without them', async () => {
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')
  const withoutTimes = (lines: string[]) =>
    lines.map((line) => line.replaceAll(escapes, '').replaceAll(/\d\.\d\d/g, ''))
  const plain = await narrate(false)
  const coloured = await narrate(true)
  expect(plain.join('')).not.toMatch(escapes)
  expect(coloured.join('')).toMatch(escapes)
  expect(withoutTimes(coloured)).toEqual(withoutTimes(plain))
})
