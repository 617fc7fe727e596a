import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import {
  momentsOfEnding,
  momentsOfSending,
  transferLease,
  useEngineProcess,
} from '../support/engine-process.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { useUtxoFlow } from '../support/utxo-flow.ts'

/** On a UTXO chain a process may also be killed before the outputs of a plan are reserved. */
const moments = [{ named: 'reserve-inputs', when: 'before' } as const, ...momentsOfSending]

describe.skipIf(!hasLitecoind).each([
  ['payouts in litecoin, killed', true],
  ['payouts without witnesses, killed', false],
])('%s', (_, hasWitness) => {
  const flow = useUtxoFlow(20, { rows: [hasWitness ? litecoinRegtest : legacyLitecoin] })
  const { database } = flow
  const outgoingTransactions = useEngineProcess(new URL('./utxo-engine-child.ts', import.meta.url), () =>
    flow.endLeases(),
  )

  it('E01 E02 M10 pays each order once from the same bytes if it is killed at any moment between plan, signature and broadcast', async () => {
    const addresses = { databaseUrl: database.urls.app, nodeUrl: flow.node.url }
    const orders = { ...(await transferLease(flow.signer, addresses)), hasWitness }
    const ltc = 10n ** 8n
    const merchantId = await flow.openFunded(...moments.map(() => 2n * ltc))
    const ordered = []
    for (const moment of moments) {
      ordered.push(await flow.order(merchantId, '0.5'))
      await outgoingTransactions.runUntil(moment, orders)
    }
    await outgoingTransactions.run(orders)
    await flow.mineAndFollow()
    for (const moment of momentsOfEnding) await outgoingTransactions.runUntil(moment, orders)
    await flow.mineAndFollow(3)
    await outgoingTransactions.run(orders)
    for (const { id, address } of ordered) {
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
      expect(await flow.received(address)).toBe((ltc / 2n / 100n) * 99n)
    }
    const attempts = await database.db.query(sql`select tx_hash from outgoing_transaction_attempt`)
    expect(attempts).toHaveLength((await flow.outgoingTransactions()).length)
    await flow.endLeases()
    expect(await flow.findViolations()).toEqual([])
  }, 120_000)
})
