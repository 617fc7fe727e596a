import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { usePayoutFlow } from '../support/payout-flow.ts'
import { handOver, momentsOfEnding, momentsOfSending, usePayoutsProcess } from '../support/payouts-process.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database, anvil } = flow
const payouts = usePayoutsProcess(new URL('./payouts-child.ts', import.meta.url), () => flow.endLeases())

it('E01 E02 M10 M19 killed at any moment it pays each once, from the same bytes, without a gap', async () => {
  const { signer } = flow
  const orders = await handOver(signer, { databaseUrl: database.urls.app, nodeUrl: anvil.url })
  const payments = []
  for (const moment of momentsOfSending) {
    payments.push(await flow.pay())
    await payouts.runUntil(moment, orders)
  }
  await payouts.run(orders)
  await flow.mine()
  for (const moment of momentsOfEnding) await payouts.runUntil(moment, orders)
  await flow.mine(4)
  await payouts.run(orders)
  for (const payment of payments) {
    const { moves, isSuccess } = await flow.wish(payment.id)
    expect(isSuccess).toBe(true)
    for (const move of ['planned', 'signed', 'included', 'final']) {
      expect(moves.filter((one) => one === move)).toHaveLength(1)
    }
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
  const attempts = await database.db.query(sql`select tx_hash from payout_attempt`)
  expect(attempts).toHaveLength(payments.length)
  const { lanes } = signer.keys
  const mined = await flow.sender.readNonces(lanes, undefined, new AbortController().signal)
  expect(mined.reduce((sum, count) => sum + count, 0)).toBe(payments.length)
}, 120_000)
