import { expect, it } from 'vitest'
import { delegateIn, isContractCode } from './account-code.ts'

const delegate = 'ab'.repeat(20)

it.each<[string, string, boolean, string | undefined]>([
  ['no code', '0x', false, undefined],
  ['a contract', '0x6001', true, undefined],
  ['a delegated account', `0xef0100${delegate}`, false, `0x${delegate}`],
  ['a contract that begins like a delegation', `0xef0100${delegate}00`, true, undefined],
  ['code of the same length', `0xef0101${delegate}`, true, undefined],
])('reads %s', (_, code, isContract, delegatedTo) => {
  expect([isContractCode(code), delegateIn(code)]).toEqual([isContract, delegatedTo])
})
