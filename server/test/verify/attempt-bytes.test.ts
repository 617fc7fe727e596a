/**
 * Tests that stored bytes of attempts on UTXO chains match the transaction id that is stored with them.
 * tamperings.test.ts covers EVM chains.
 */
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { bytesAreTheAttempts } from '../../src/oversight/verify/books/attempt-bytes.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'

describe.skipIf(!hasLitecoind)('M10-bytes, on a UTXO chain,', () => {
  const flow = useUtxoFlow(40)

  it('finds nothing in sent transactions, and finds bytes of another transaction, or of none', async () => {
    const { database } = flow
    const check = () => bytesAreTheAttempts.check({ on: database.db, methods: flow.shop.methods })
    const { id } = await flow.order(await flow.openFunded(2n * 10n ** 8n), '1')
    await flow.playOut(await flow.engine())
    expect((await flow.withdrawal(id)).state).toBe('completed')
    expect(await check()).toEqual({ examined: 1, findings: [] })
    for (const raw of [sql`replace(raw, '00000000', '00000001')`, sql`'c0ffee'`]) {
      await database.db.query(sql`update outgoing_transaction_attempt set raw = ${raw}`)
      expect((await check()).findings).toHaveLength(1)
    }
  })
})
