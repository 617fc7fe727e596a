import { expect, it } from 'vitest'
import { nodesHint } from './nodes-hint.ts'

it('names the command for an own network, and says nothing about a shipped one', () => {
  expect(nodesHint('scroll')).toContain('"coffer networks nodes scroll --rpc URL[,URL]"')
  expect([nodesHint('ethereum'), nodesHint('litecoin')]).toEqual(['', ''])
})
