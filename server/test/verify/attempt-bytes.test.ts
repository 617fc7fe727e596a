/** Stored bytes where money lies in coins: they have the id that is stored with them. For accounts see tamperings.test.ts. */
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { bytesAreTheAttempts } from '../../src/oversight/verify/books/attempt-bytes.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { hasLitecoind } from '../support/litecoind.ts'

describe.skipIf(!hasLitecoind)('M10-bytes, of coins,', () => {
  const flow = useCoinFlow(40)

  it('finds nothing in what was sent, and bytes of another transaction, or of none', async () => {
    const { database } = flow
    const check = () => bytesAreTheAttempts.check({ on: database.db, methods: flow.shop.methods })
    const { id } = await flow.order(await flow.openFunded(2n * 10n ** 8n), '1')
    await flow.playOut(await flow.machine())
    expect((await flow.withdrawal(id)).state).toBe('completed')
    expect(await check()).toEqual({ examined: 1, findings: [] })
    for (const raw of [sql`replace(raw, '00000000', '00000001')`, sql`'c0ffee'`]) {
      await database.db.query(sql`update payout_attempt set raw = ${raw}`)
      expect((await check()).findings).toHaveLength(1)
    }
  })
})
