import { expect, it } from 'vitest'
import { limits } from './limits.ts'

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs

it('holds what merchants are promised of webhooks: another number here is another contract', () => {
  expect(limits).toMatchObject({
    deliveryConnectMs: 5 * secondMs,
    deliveryTotalMs: 15 * secondMs,
    deliveryResponseBytes: 65_536,
    deliveryResponseKeptBytes: 1_024,
    deliveriesPerEndpoint: 4,
    deliveriesInFlight: 256,
    deliveryAttempts: 10,
    deliveryRetryAfterMs: 24 * hourMs,
    endpointFailingMs: 5 * 24 * hourMs,
    endpointFailures: 20,
    endpointFailuresAlone: 5,
    formerSecretHours: 24,
    deliveriesKeptDays: 90,
    webhookSecretChars: 32,
    webhookSecretCharsMax: 512,
    replayedAtOnce: 10_000,
    replayBacklog: 50_000,
  })
})
