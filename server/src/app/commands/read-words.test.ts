import { expect, it } from 'vitest'
import { UsageError } from './command.ts'
import { readWords } from './read-words.ts'

const replace = { options: { replace: { type: 'boolean' } }, positionals: 1 } as const

it('reads options and words in any order', () => {
  const { values, positionals } = readWords(['--replace', 'folder'], replace)
  expect([values.replace, positionals]).toEqual([true, ['folder']])
  expect(readWords(['folder', '--replace'], replace).positionals).toEqual(['folder'])
  expect(readWords([]).positionals).toEqual([])
})

it.each([[['one']], [['--replace']], [['-r']], [['--', 'one']]])(
  'refuses %j where nothing is expected',
  (words) => {
    expect(() => readWords(words)).toThrow(UsageError)
  },
)

it.each([
  [['a', 'b'], 'unexpected argument "b"'],
  [['--replace=yes'], 'does not take an argument'],
  [['--other'], '--other'],
])('refuses %j', (words, said) => {
  expect(() => readWords(words, replace)).toThrow(said)
})
