import { expect, it } from 'vitest'
import { type ContractAnswer, checkForeignContract } from './foreign-contract.ts'

it.each<[ContractAnswer, ContractAnswer, ContractAnswer, readonly string[], readonly string[]]>([
  ['no-contract', 'no-contract', 'no-contract', [], []],
  ['no-contract', 'contract', 'no-contract', ['base'], []],
  ['no-contract', 'contract', 'contract', ['base', 'polygon'], []],
  ['no-contract', 'contract', 'unknown', ['base'], ['polygon']],
  ['no-contract', 'unknown', 'unknown', [], ['base', 'polygon']],
  ['contract', 'contract', 'contract', [], []],
  ['contract', 'unknown', 'no-contract', [], []],
  ['unknown', 'no-contract', 'no-contract', [], []],
  ['unknown', 'contract', 'no-contract', ['base'], []],
  ['unknown', 'unknown', 'contract', ['polygon'], ['base']],
])('own network: %s, Base: %s, Polygon: %s', (own, base, polygon, foundOn, uncheckedOn) => {
  const others = new Map([
    ['base', base],
    ['polygon', polygon],
  ])
  expect(checkForeignContract(own, others)).toEqual({ foundOn, uncheckedOn })
})
