import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { apiKeyHash } from '../../src/merchants/api-key.ts'
import { saveLastUsed } from '../../src/merchants/key-store.ts'
import { LastUsed } from '../../src/merchants/last-used.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { apiKeyRecords, auditRecords } from '../support/people/records.ts'
import { setLocally, settingOf } from '../support/records/settings.ts'
import { startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

async function merchantOf() {
  const { token } = await api.register()
  return { token, id: await api.makeMerchant(token) }
}

describe('POST /key/generate/{merchantID}', () => {
  it('shows the key once and stores only its SHA-256', async () => {
    const { token, id } = await merchantOf()
    const answer = await api.call('POST', `/key/generate/${id}`, { token })
    expect(answer.status).toBe(200)
    const { apiKey } = answer.body
    expect(answer.body).toEqual({
      apiKey,
      key: apiKey,
      merchantId: id,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(apiKey).toMatch(/^ck_[0-9a-f]{72}$/)
    const row = await apiKeyRecords.first(database.db, { merchantId: id })
    expect(row?.keyHash).toEqual(createHash('sha256').update(apiKey).digest())
    expect(JSON.stringify(row)).not.toContain(apiKey)
    expect((await api.call('GET', `/merchants/${id}`, { key: apiKey })).status).toBe(200)
  })

  it('G04 invalidates the previous key at once on every process', async () => {
    const other = await startApi(database.db)
    const { token, id } = await merchantOf()
    const first = await api.makeKey(token, id)
    expect((await other.call('GET', `/merchants/${id}`, { key: first })).status).toBe(200)
    const second = await api.makeKey(token, id)
    expect((await other.call('GET', `/merchants/${id}`, { key: first })).status).toBe(401)
    expect((await other.call('GET', `/merchants/${id}`, { key: second })).status).toBe(200)
    await other.close()
  })

  it('leaves one valid key when many are generated at once', async () => {
    const { token, id } = await merchantOf()
    const keys = await Promise.all([1, 2, 3, 4].map(() => api.makeKey(token, id)))
    const answers = await Promise.all(keys.map((key) => api.call('GET', `/merchants/${id}`, { key })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })

  it('is audited without the key', async () => {
    const { token, id } = await merchantOf()
    const key = await api.makeKey(token, id)
    await api.call('DELETE', `/key/revoke/${id}`, { token })
    const entries = await auditRecords.all(database.db, { merchantId: id }, 'action', 'details')
    expect(entries.map(({ action }) => action)).toEqual(['api_key.generated', 'api_key.revoked'])
    expect(JSON.stringify(entries)).not.toContain(key)
  })
})

describe('GET /key/info/{merchantID}', () => {
  it('answers 404 without a key, null before its first use, then the time of the last use', async () => {
    const { token, id } = await merchantOf()
    const read = () => api.call('GET', `/key/info/${id}`, { token })
    expect((await read()).status).toBe(404)
    const key = await api.makeKey(token, id)
    const fresh = await read()
    expect(fresh.body).toEqual({ createdAt: expect.stringMatching(/Z$/), lastUsedAt: null })
    await api.call('GET', `/merchants/${id}`, { key })
    const used = await read()
    expect(used.body.createdAt).toBe(fresh.body.createdAt)
    expect(Date.parse(used.body.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(fresh.body.createdAt))
    expect(used.text).not.toContain(key)
  })

  it('starts without a time for a new key, even if a use of the old key was still to be written', async () => {
    const { token, id } = await merchantOf()
    const old = await api.makeKey(token, id)
    await api.call('GET', `/merchants/${id}`, { key: old })
    await api.makeKey(token, id)
    const other = await startApi(database.db)
    expect((await other.call('GET', `/key/info/${id}`, { token })).body.lastUsedAt).toBeNull()
    await other.close()
  })
})

describe('DELETE /key/revoke/{merchantID}', () => {
  it('invalidates the key at once, answers 204 to each repeat, and allows a new key', async () => {
    const { token, id } = await merchantOf()
    const key = await api.makeKey(token, id)
    const revoked = await api.call('DELETE', `/key/revoke/${id}`, { token })
    expect({ status: revoked.status, text: revoked.text }).toEqual({ status: 204, text: '' })
    expect((await api.call('GET', `/merchants/${id}`, { key })).status).toBe(401)
    expect((await api.call('GET', '/merchants', { key })).status).toBe(401)
    expect((await api.call('DELETE', `/key/revoke/${id}`, { token })).status).toBe(204)
    const next = await api.makeKey(token, id)
    expect((await api.call('GET', `/merchants/${id}`, { key: next })).status).toBe(200)
  })
})

describe("the time of a key's last use", () => {
  it('is written in one statement for all uses within a second', async () => {
    const { token, id } = await merchantOf()
    const hash = apiKeyHash(await api.makeKey(token, id)) ?? Buffer.alloc(0)
    const gone = apiKeyHash(await api.makeKey(token, await api.makeMerchant(token))) ?? Buffer.alloc(0)
    await apiKeyRecords.remove(database.db, { keyHash: gone })
    const statements: Statement[] = []
    const query: typeof database.db.query = (statement) => {
      statements.push(statement)
      return database.db.query(statement)
    }
    const lastUsed = new LastUsed({ db: { query }, clock: systemClock, log: silentLog, intervalMs: 20 })
    for (let use = 0; use < 1_000; use++) lastUsed.note(use % 2 === 0 ? hash : gone)
    await expect.poll(() => statements.length).toBe(1)
    await expect.poll(() => lastUsed.pending(hash)).toBeUndefined()
    const row = await apiKeyRecords.first(database.db, { keyHash: hash }, 'lastUsedAt')
    expect(row?.lastUsedAt).toBeInstanceOf(Date)
    lastUsed.note(hash)
    await lastUsed.close()
    expect(statements).toHaveLength(2)
  })

  it('is written without waiting for the disk', async () => {
    const { token, id } = await merchantOf()
    const hash = apiKeyHash(await api.makeKey(token, id)) ?? Buffer.alloc(0)
    const setting = await inTransaction(database.db, async (tx) => {
      await setLocally(tx, 'synchronous_commit', 'on')
      await saveLastUsed(tx, [{ hash, usedAt: new Date() }])
      return settingOf(tx, 'synchronous_commit')
    })
    expect(setting).toBe('off')
  })

  it('is kept in memory while the database is unavailable, and written later', async () => {
    const { token, id } = await merchantOf()
    const hash = apiKeyHash(await api.makeKey(token, id)) ?? Buffer.alloc(0)
    let isAway = true
    const query: typeof database.db.query = (statement) =>
      isAway ? Promise.reject(new Error('away')) : database.db.query(statement)
    const lastUsed = new LastUsed({ db: { query }, clock: systemClock, log: silentLog, intervalMs: 60_000 })
    lastUsed.note(hash)
    await lastUsed.close()
    expect(lastUsed.pending(hash)).toBeInstanceOf(Date)
    isAway = false
    await lastUsed.close()
    expect(lastUsed.pending(hash)).toBeUndefined()
  })
})
