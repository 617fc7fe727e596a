import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import {
  momentsOfEnding,
  momentsOfSending,
  transferLease,
  useEngineProcess,
} from '../support/engine-process.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow({ hotWallets: 2 })
const { database, anvil } = flow
const engineProcess = useEngineProcess(new URL('./engine-child.ts', import.meta.url), () => flow.endLeases())

it('E01 E02 M10 M19 pays each order once, from the same bytes and without a nonce gap, if it is killed at any moment', async () => {
  const { signer } = flow
  const orders = await transferLease(signer, { databaseUrl: database.urls.app, nodeUrl: anvil.url })
  const payments = []
  for (const moment of momentsOfSending) {
    payments.push(await flow.pay())
    await engineProcess.runUntil(moment, orders)
  }
  await engineProcess.run(orders)
  await flow.mine()
  for (const moment of momentsOfEnding) await engineProcess.runUntil(moment, orders)
  await flow.mine(4)
  await engineProcess.run(orders)
  for (const payment of payments) {
    const { moves, isSuccess } = await flow.transferRequest(payment.id)
    expect(isSuccess).toBe(true)
    for (const move of ['planned', 'signed', 'included', 'final']) {
      expect(moves.filter((one) => one === move)).toHaveLength(1)
    }
    expect(await flow.held(payment.address)).toBe(payment.netMinor)
  }
  const attempts = await database.db.query(sql`select tx_hash from outgoing_transaction_attempt`)
  expect(attempts).toHaveLength(payments.length)
  const { hotWallets } = signer.keys
  const mined = await flow.sender.readNonces(hotWallets, undefined, new AbortController().signal)
  expect(mined.reduce((sum, count) => sum + count, 0)).toBe(payments.length)
}, 120_000)
