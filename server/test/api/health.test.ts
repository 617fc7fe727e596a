import { describe, expect, it } from 'vitest'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { cursorRecords, depositPauseRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import type { ChangeOf } from '../support/records/records.ts'
import { fieldPlus, fromNow, now } from '../support/records/values.ts'
import { useShopApi } from './shop-api.ts'

describe('health of a server whose chain is followed', () => {
  const database = useDatabase()
  const api = useShopApi(database)
  const setCursor = (change: ChangeOf<typeof cursorRecords>) => cursorRecords.change(database.db, {}, change)

  it('GET /healthz answers to anyone that the process is alive', async () => {
    const answer = await api.call('GET', '/healthz')
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { status: 'ok' } })
    expect((await api.call('HEAD', '/healthz')).status).toBe(200)
    expect((await api.call('GET', '/healthz', { token: 'junk', key: 'junk' })).status).toBe(200)
  })

  it('GET /readyz is ready while a new payment would be seen', async () => {
    const answer = await api.call('GET', '/readyz')
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { status: 'ready' } })
  })

  it('GET /readyz is 503 with Retry-After while the chain lags, and ready again afterwards', async () => {
    await setCursor({ headHeight: fieldPlus('height', 10) })
    expect((await api.call('GET', '/readyz')).status).toBe(200)
    await setCursor({ headHeight: fieldPlus('height', 11) })
    const lagging = await api.call('GET', '/readyz')
    expect(lagging.status).toBe(503)
    expect(lagging.headers.get('content-type')).toBe('application/problem+json')
    expect(lagging.headers.get('retry-after')).toBe('1')
    expect(lagging.body).toMatchObject({ code: 'not-ready', detail: 'ethereum is 11 blocks behind.' })
    expect((await api.call('GET', '/healthz')).status).toBe(200)
    await setCursor({ headHeight: fieldPlus('height', 0) })
    expect((await api.call('GET', '/readyz')).status).toBe(200)
  })

  it('GET /readyz lists restrictions while payments are still seen', async () => {
    await depositPauseRecords.add(database.db, { network: 'ethereum', depth: 4, untilHeight: 120 })
    const { status, body } = await api.call('GET', '/readyz')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'ready',
        restrictions: ['deposits on ethereum are paused until block 120, because 4 blocks were replaced'],
      },
    })
    await depositPauseRecords.remove(database.db)
    expect((await api.call('GET', '/readyz')).body).toEqual({ status: 'ready' })
  })

  it('GET /readyz is 503 if no answer of the node was stored for 30 s', async () => {
    await setCursor({ seenAt: fromNow('-31 seconds') })
    const silent = await api.call('GET', '/readyz')
    expect(silent.status).toBe(503)
    expect(silent.body.detail).toMatch(
      /^ethereum has not been read for 3[1-9] s: its node does not answer, or/,
    )
    await setCursor({ seenAt: now })
    expect((await api.call('GET', '/readyz')).status).toBe(200)
  })

  it('GET /readyz stays ready while one of several networks is followed, and names one that was added', async () => {
    expect((await api.call('GET', '/readyz')).body).toEqual({ status: 'ready' })
    api.readers.push(openFakeReader(new FakeChain(), { network: 'base' }))
    expect(await api.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', restrictions: ['base is not followed yet'] },
    })
  })
})

describe('health of a server whose chain is not followed yet', () => {
  const api = useShopApi(useDatabase(), { isFollowed: false })

  it('GET /readyz is 503 and GET /healthz 200', async () => {
    const answer = await api.call('GET', '/readyz')
    expect(answer.status).toBe(503)
    expect(answer.body.detail).toBe('ethereum is not followed yet.')
    expect((await api.call('GET', '/healthz')).status).toBe(200)
  })

  it('assigns no address, since a payment to it could be missed', async () => {
    const seller = await api.openSeller()
    const answer = await api.addressOf(await seller.createInvoice())
    expect(answer.status).toBe(503)
    expect(answer.body.code).toBe('too-busy')
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})
