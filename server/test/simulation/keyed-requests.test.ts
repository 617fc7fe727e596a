/** Tests which answers to requests under an Idempotency-Key the simulation accepts. */
import { describe, expect, it } from 'vitest'
import { type Deletion, isDeleted, mayBeDeleted } from '../../simulation/model/deletion.ts'
import type { Creation } from '../../simulation/requests/creation.ts'
import { findWrongAnswers } from '../../simulation/requests/find-wrong-answers.ts'
import type { GivenAnswer, SentRequest } from '../../simulation/requests/keyed-requests.ts'
import type { ProblemCode } from '../../src/core/errors.ts'

const creationOf = (changes: Partial<Pick<Creation, 'kind' | 'merchantId'>> = {}): Creation => {
  const creation: Creation = {
    kind: 'order',
    merchantId: 'merchant',
    path: '/',
    body: {},
    create: async (_parts, id) => id,
    receive: async () => {},
    changed: () => creation,
    ...changes,
  }
  return creation
}

const made = (id: string): GivenAnswer => ({ status: 201, body: JSON.stringify({ id }) })
const rejected: GivenAnswer = { status: 422, body: '{"code":"insufficient-balance"}' }

/** Returns a request with these changes. By default, the service created `a` once, and answered so. */
const requestOf = (changes: Partial<SentRequest> = {}): SentRequest => ({
  creation: creationOf(),
  key: 'k',
  ids: new Set(['a']),
  answers: [made('a')],
  lastProblem: undefined,
  isDenied: false,
  isServed: true,
  ...changes,
})

/** A request that was rejected without an answer, or got nothing. */
const openRequest = (lastProblem: ProblemCode | undefined, changes: Partial<SentRequest> = {}): SentRequest =>
  requestOf({ ids: new Set(), answers: [], isServed: false, lastProblem, ...changes })

const other = creationOf({ merchantId: 'other merchant' })

interface Case {
  readonly sent: readonly SentRequest[]
  /** The ids of the orders and invoices that exist, and of the invoices that the API may have deleted. */
  readonly existing?: readonly string[]
  readonly deleted?: readonly string[]
}

function problemsOf({ sent, existing = ['a'], deleted = [] }: Case): readonly string[] {
  return findWrongAnswers(
    sent,
    (id) => existing.includes(id),
    (id) => deleted.includes(id),
  )
}

describe('a key', () => {
  const second = requestOf({ ids: new Set(['b']), answers: [made('b')] })
  const inUse = 'the key k is in use, and no request with it has an answer'
  const misused = 'the key k has answers to two requests with different bodies'
  it.each<[string, Case, readonly string[]]>([
    ['answers one request', { sent: [requestOf()] }, []],
    ['never answers two requests', { sent: [requestOf(), second], existing: ['a', 'b'] }, [misused]],
    [
      'never answers two requests, also if it rejects both',
      { sent: [1, 2].map(() => requestOf({ answers: [rejected] })), existing: [] },
      [misused],
    ],
    [
      'answers a request of each merchant',
      { sent: [requestOf(), { ...second, creation: other }], existing: ['a', 'b'] },
      [],
    ],
    [
      'of two requests may answer the second',
      { sent: [openRequest('idempotency-conflict'), requestOf()] },
      [],
    ],
    [
      'must not conflict with every request',
      { sent: [1, 2].map(() => openRequest('idempotency-conflict')) },
      [inUse],
    ],
    [
      'must not be in use because of another merchant',
      { sent: [openRequest('idempotency-conflict'), requestOf({ creation: other })] },
      [inUse],
    ],
    [
      'may conflict with a request if another one lacks a price',
      { sent: [openRequest('idempotency-conflict'), openRequest('rate-unavailable')] },
      [],
    ],
  ])('%s', (_case, requests, problems) => {
    expect(problemsOf(requests)).toEqual(problems)
  })
})

it.each<[string, readonly Deletion['answer'][], boolean, boolean]>([
  ['nobody asked to delete is there', [], false, false],
  ['the API deleted is deleted', ['deleted'], true, true],
  ['a killed API was asked to delete may be deleted', [undefined], false, true],
  ['the API refused to delete is there', ['rejected'], false, false],
  [
    'a killed API was asked to delete may be deleted, if it is not found later',
    [undefined, 'rejected'],
    false,
    true,
  ],
])('an invoice that %s', (_case, answers, isGone, mayBeGone) => {
  const deletions = answers.map((answer) => ({ invoiceId: 'a', answer }))
  expect(isDeleted(deletions, 'a')).toBe(isGone)
  expect(mayBeDeleted(deletions, 'a')).toBe(mayBeGone)
  expect(mayBeDeleted(deletions, 'b')).toBe(false)
})

describe('a request', () => {
  const what = 'the request k for an order'
  const both = new Set(['a', 'b'])
  const different = `${what} has 2 different answers: 201 {"id":"a"}, 201 {"id":"b"}`
  const changedStatus = `${what} has 2 different answers: 201 {"id":"a"}, 200 {"id":"a"}`
  const inVain = `${what} was rejected, and created one nevertheless`
  const endless = `${what} was repeated until the end and never answered`

  it.each<[string, Case, readonly string[]]>([
    ['may get its answer twice', { sent: [requestOf({ answers: [made('a'), made('a')] })] }, []],
    [
      'must not get two bodies',
      { sent: [requestOf({ ids: both, answers: [made('a'), made('b')] })] },
      [different],
    ],
    [
      'must not get two statuses',
      { sent: [requestOf({ answers: [made('a'), { ...made('a'), status: 200 }] })] },
      [changedStatus],
    ],
    ['may run twice', { sent: [requestOf({ ids: both })] }, []],
    [
      'must not create two',
      { sent: [requestOf({ ids: both })], existing: ['a', 'b'] },
      [`${what} created 2`],
    ],
    [
      'must not be answered with one that does not exist',
      { sent: [requestOf()], existing: [] },
      [`${what} was answered with one that does not exist`],
    ],
    [
      'may be answered with one that was deleted later',
      { sent: [requestOf()], existing: [], deleted: ['a'] },
      [],
    ],
    [
      'must not be answered with one of another request',
      { sent: [requestOf({ ids: new Set(['b']) })] },
      [`${what} was answered with one that it did not create`],
    ],
    ['may be rejected and create nothing', { sent: [requestOf({ answers: [rejected] })], existing: [] }, []],
    ['must not be rejected and create one', { sent: [requestOf({ answers: [rejected] })] }, [inVain]],
    [
      'must not be rejected because of its own key',
      { sent: [requestOf({ isDenied: true })] },
      [`${what} was rejected because its key was used for another request`],
    ],
    ['may lack a price until the end', { sent: [openRequest('rate-unavailable')] }, []],
    [
      'may be rejected without a stored answer, as a repeated request is',
      { sent: [openRequest('insufficient-balance', { ids: new Set(['a']) })], existing: [] },
      [],
    ],
    [
      'must not be rejected without a stored answer and create one',
      { sent: [openRequest('insufficient-balance', { ids: new Set(['a']) })] },
      [inVain],
    ],
    [
      'must not lack a price and create one',
      { sent: [openRequest('rate-unavailable', { ids: new Set(['a']) })] },
      [inVain],
    ],
    [
      'must not create one and lose its key to another request',
      {
        sent: [
          openRequest('idempotency-conflict', { ids: new Set(['a']) }),
          requestOf({ ids: new Set(['b']), answers: [made('b')] }),
        ],
        existing: ['a', 'b'],
      },
      [inVain],
    ],
    [
      'may have created one while it is in progress, but must be answered',
      { sent: [openRequest('idempotency-in-progress', { ids: new Set(['a']) })] },
      [endless],
    ],
    ['must not be told to try again for ever', { sent: [openRequest('too-busy')] }, [endless]],
    ['must not be without an answer', { sent: [openRequest(undefined)] }, [endless]],
    ['must not be in progress for ever', { sent: [openRequest('idempotency-in-progress')] }, [endless]],
    [
      'may have been answered before its last repetition',
      { sent: [requestOf({ lastProblem: 'too-busy' })] },
      [],
    ],
    [
      'is named with its kind',
      { sent: [openRequest(undefined, { creation: creationOf({ kind: 'invoice' }) })] },
      ['the request k for an invoice was repeated until the end and never answered'],
    ],
  ])('%s', (_case, requests, problems) => {
    expect(problemsOf(requests)).toEqual(problems)
  })
})
