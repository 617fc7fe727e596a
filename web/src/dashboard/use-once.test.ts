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

it('repeats a request after a lost answer under the same key, also after another request', async () => {
  const { keys, send } = useServer('lost', 'lost', 'lost')
  await send()
  await send()
  await send({ body: { ...order.body, amount: '0.6' } })
  await send()
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
  expect(keys[3]).toBe(keys[0])
})

it('uses a new key for the same request after it succeeded', async () => {
  const { keys, send } = useServer()
  await send()
  await send()
  expect(new Set(keys).size).toBe(2)
})

it.each([
  { status: 422, code: 'insufficient-balance' },
  { status: 409, code: 'nothing-owed' },
])('uses a new key after the refusal $code, which the old key would always get again', async (rejection) => {
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
])('keeps the key after $code, which does not decide about an earlier attempt', async (rejection) => {
  const { keys, send } = useServer('lost', rejection)
  await send()
  await send()
  await send()
  expect(new Set(keys).size).toBe(1)
})
