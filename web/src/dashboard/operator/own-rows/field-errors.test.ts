import { CofferError } from 'coffer-sdk'
import { expect, it } from 'vitest'
import { errorOf, unshownErrors } from './field-errors.ts'

const refused = (...pointers: readonly string[]) =>
  new CofferError({
    status: 400,
    code: 'invalid-request',
    title: '',
    detail: '',
    errors: pointers.map((pointer) => ({ pointer, detail: 'is wrong' })),
    requestID: undefined,
    retryAfterS: undefined,
    idempotencyKey: undefined,
  })

it.each([
  ['/name', 'name', 'is wrong'],
  ['#/name', 'name', 'is wrong'],
  ['/confirmations', 'confirmations', 'is wrong'],
  ['/confirmations/1', 'confirmations', 'Item 2 is wrong'],
  ['/mirrors/0', 'mirrors', 'Item 1 is wrong'],
  ['/name', 'title', undefined],
  ['/names', 'name', undefined],
])('finds the error at %s for the field %s', (pointer, field, text) => {
  expect(errorOf(refused(pointer), field)).toBe(text)
})

it('returns errors of fields that are not shown, and none of those that are', () => {
  const error = refused('/name', '/confirmations/1', '/blockTimeMs', '/coin/decimals')
  expect(unshownErrors(error, ['name', 'confirmations'])).toEqual([
    'blockTimeMs is wrong',
    'coin/decimals is wrong',
  ])
  expect(unshownErrors(new Error('another'), [])).toEqual([])
  expect(errorOf(null, 'name')).toBe(undefined)
})
