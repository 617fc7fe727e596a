/** Tests Idempotency-Keys with two processes, which run side by side or of which one is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { type Api, clientOf } from '../api/api.ts'
import { useChildScript } from '../support/child-script.ts'
import { useDatabase } from '../support/database.ts'
import { useMadeServers } from '../support/made-server.ts'
import { accountRecords, idempotencyRecords, memberRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'
import type { ApiOrders } from './api-child.ts'
import { effectRoute } from './effect-route.ts'

const database = useDatabase()
const startServer = useMadeServers()
const script = useChildScript(new URL('./api-child.ts', import.meta.url))
const encryptionKey = 'ab'.repeat(32)

async function startChild(
  orders: Pick<ApiOrders, 'dieAt'> = {},
): Promise<{ api: Api; ended: Promise<unknown> }> {
  const given: ApiOrders = { databaseUrl: database.urls.app, encryptionKey, ...orders }
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, API_ORDERS: JSON.stringify(given) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { api: clientOf(JSON.parse(line).port, async () => void child.kill()), ended }
}

function startHere() {
  const { db } = database
  const idempotency = { db, clock: systemClock, sealer: openSealer(new Secret(encryptionKey)) }
  return startServer({ routes: [effectRoute(db)], idempotency })
}

async function makeOwner(): Promise<string> {
  const id = newId()
  await accountRecords.add(database.db, { id, email: `${id}@example.com`, passwordHash: 'none' })
  return id
}

const merchantsOf = async (ownerId: string) =>
  (await memberRecords.all(database.db, { accountId: ownerId }, 'merchantId')).map((row) => row.merchantId)

const call = (api: Pick<Api, 'call'>, ownerId: string) =>
  api.call('POST', '/effects', {
    token: 'alice',
    json: { name: 'Shop', ownerId },
    headers: { 'idempotency-key': ownerId },
  })

describe('two processes and one database', () => {
  it('M15 produce one effect and one answer for forty requests under one key at once', async () => {
    const here = await startHere()
    const child = await startChild()
    const ownerId = await makeOwner()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? here : child.api, ownerId)),
    )
    const made = await merchantsOf(ownerId)
    expect(made).toHaveLength(1)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`201 {"id":"${made[0]}"}`]),
    )
  })

  it.each([
    ['before its effect', 2, 0, null],
    ['after its effect and before its answer is stored', 3, 1, null],
    ['after its answer is stored and before it is sent', 4, 1, 'true'],
  ])(
    'M15 answer a request whose process is killed %s by the other, with one effect',
    async (_name, dieAt, madeBefore, replayed) => {
      const here = await startHere()
      const child = await startChild({ dieAt })
      const ownerId = await makeOwner()
      expect(await call(child.api, ownerId).catch(() => 'cut off')).toBe('cut off')
      await child.ended
      const before = await merchantsOf(ownerId)
      expect(before).toHaveLength(madeBefore)
      // The claim expires by itself. The test ends it early.
      await idempotencyRecords.change(database.db, { key: ownerId }, { claimedUntil: fromNow('-1 second') })
      const answers = [await call(here, ownerId), await call(here, ownerId)]
      const after = await merchantsOf(ownerId)
      expect(after).toHaveLength(1)
      expect(before).toEqual(after.slice(0, madeBefore))
      for (const { status, body } of answers)
        expect({ status, body }).toEqual({ status: 201, body: { id: after[0] } })
      const answered = answers.map(({ headers }) => headers.get('idempotent-replayed'))
      expect(answered).toEqual([replayed, 'true'])
    },
  )
})
