import { expect, it } from 'vitest'
import { printable } from './operator-words.ts'

it('gives a terminal nothing that steers it', () => {
  expect(printable('Café 東京 “№ 1”')).toBe('Café 東京 “№ 1”')
  expect(printable('a\u001b[2K\u009b1A\r\n\u202eb')).toBe('a\u{fffd}[2K\u{fffd}1A\u{fffd}\u{fffd}\u{fffd}b')
})
