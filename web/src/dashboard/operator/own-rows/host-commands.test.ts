import { expect, it } from 'vitest'
import { networkCommand, tokenCommand } from './host-commands.ts'

it('builds commands that a shell reads as they were entered', () => {
  expect(
    networkCommand('scroll', [
      ['rpc', "https://node.example/?key=it's;rm"],
      ['title', 'Scroll Main'],
      ['cold-address', ''],
      ['stable', false],
    ]),
  ).toBe(`coffer networks add scroll --rpc 'https://node.example/?key=it'\\''s;rm' --title 'Scroll Main'`)
  expect(
    tokenCommand('base', '0x12', [
      ['decimals', '6'],
      ['stable', true],
    ]),
  ).toBe('coffer tokens add base 0x12 --decimals 6 --stable')
})
