import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { useCoinFlow } from '../support/coin-flow.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { hasLitecoind, litecoinRegtest } from '../support/litecoind.ts'
import { handOver, momentsOfEnding, momentsOfSending, usePayoutsProcess } from '../support/payouts-process.ts'

/** Where money lies in coins, what is planned may also be killed before they are reserved. */
const moments = [{ named: 'reserve-coins', when: 'before' } as const, ...momentsOfSending]

describe.skipIf(!hasLitecoind).each([
  ['payouts in litecoin, killed', true],
  ['payouts without witnesses, killed', false],
])('%s', (_, hasWitness) => {
  const flow = useCoinFlow(20, { rows: [hasWitness ? litecoinRegtest : legacyLitecoin] })
  const { database } = flow
  const payouts = usePayoutsProcess(new URL('./coin-payouts-child.ts', import.meta.url), () =>
    flow.endLeases(),
  )

  it('E01 E02 M10 killed at any moment between plan, signature and broadcast it pays each once, from the same bytes', async () => {
    const places = { databaseUrl: database.urls.app, nodeUrl: flow.node.url }
    const orders = { ...(await handOver(flow.signer, places)), hasWitness }
    const ltc = 10n ** 8n
    const merchantId = await flow.openFunded(...moments.map(() => 2n * ltc))
    const ordered = []
    for (const moment of moments) {
      ordered.push(await flow.order(merchantId, '0.5'))
      await payouts.runUntil(moment, orders)
    }
    await payouts.run(orders)
    await flow.mineAndFollow()
    for (const moment of momentsOfEnding) await payouts.runUntil(moment, orders)
    await flow.mineAndFollow(3)
    await payouts.run(orders)
    for (const { id, address } of ordered) {
      expect(await flow.withdrawal(id)).toMatchObject({ state: 'completed' })
      expect(await flow.received(address)).toBe((ltc / 2n / 100n) * 99n)
    }
    const attempts = await database.db.query(sql`select tx_hash from payout_attempt`)
    expect(attempts).toHaveLength((await flow.payouts()).length)
    await flow.endLeases()
    expect(await flow.findBreaches()).toEqual([])
  }, 120_000)
})
