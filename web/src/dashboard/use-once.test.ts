import { createClient } from 'coffer-sdk'
import { expect, it } from 'vitest'
import { makeOnce } from './use-once.ts'

const order = { body: { paymentMethodID: 3, source: 'capital', amount: '0.5' } } as const

type Answer = 'lost' | 'done' | { readonly status: number; readonly code: string }

/**
 * Sends orders of treasury withdrawals to a server with these answers, and records their idempotency keys.
 */
function useServer(...answers: Answer[]) {
  const keys: (string | null)[] = []
  const api = createClient({
    baseUrl: 'https://pay.example',
    retries: { retriesMax: 0 },
    fetch: async (_input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      const answer = answers.shift() ?? 'done'
      if (answer === 'lost') throw new TypeError('fetch failed')
      if (answer === 'done') return Response.json({ id: 'a' }, { status: 201 })
      return Response.json(answer, { status: answer.status })
    },
  })
  const once = makeOnce()
  const send = (input: Parameters<typeof api.orderTreasuryWithdrawal>[0] = order) =>
    once(api.orderTreasuryWithdrawal, input).catch(() => undefined)
  return { keys, send }
}

it('sends what was asked again after a lost answer under the same key, also after something else', async () => {
  const { keys, send } = useServer('lost', 'lost', 'lost')
  await send()
  await send()
  await send({ body: { ...order.body, amount: '0.6' } })
  await send()
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
  expect(keys[3]).toBe(keys[0])
})

it('has a new key for what is asked once more after it was done', async () => {
  const { keys, send } = useServer()
  await send()
  await send()
  expect(new Set(keys).size).toBe(2)
})

it.each([
  { status: 422, code: 'insufficient-balance' },
  { status: 409, code: 'nothing-owed' },
])('has a new key after the refusal $code, which the old one would be told for ever', async (rejection) => {
  const { keys, send } = useServer(rejection)
  await send()
  await send()
  expect(new Set(keys).size).toBe(2)
})

it.each([
  { status: 409, code: 'idempotency-in-progress' },
  { status: 401, code: 'unauthenticated' },
  { status: 429, code: 'too-many-requests' },
  { status: 500, code: 'internal' },
])('keeps the key after $code, which says nothing of a try before it', async (rejection) => {
  const { keys, send } = useServer('lost', rejection)
  await send()
  await send()
  await send()
  expect(new Set(keys).size).toBe(1)
})
