import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { useChildScript } from '../support/child-script.ts'
import { usePayoutFlow } from '../support/payout-flow.ts'
import type { PayoutOrders } from '../support/payout-orders.ts'

const flow = usePayoutFlow({ lanes: 2 })
const { database, anvil } = flow
const script = useChildScript(new URL('./payouts-child.ts', import.meta.url))

/** Runs machine and signer until they come to rest, or are killed. @returns whether they were */
async function run(orders: PayoutOrders): Promise<boolean> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, PAYOUT_ORDERS: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  await flow.endLeases()
  const wasKilled = said.includes('"interruptedBefore"')
  if (!wasKilled) expect(said).toContain('cameToRest')
  return wasKilled
}

/** Planned but not committed; committed but not signed; signed but not stored (E01); stored but not sent; sent but not
 *  committed (E02); and what became of it. */
const moments = [
  { named: 'insert-payouts', when: 'before' },
  { named: 'insert-payouts', when: 'committed' },
  { named: 'insert-payout-attempts', when: 'before' },
  { named: 'insert-payout-attempts', when: 'committed' },
  { named: 'save-attempt-broadcast', when: 'before' },
  { named: 'save-attempt-broadcast', when: 'committed' },
] as const
const endings = [
  { named: 'save-payout-inclusions', when: 'before' },
  { named: 'save-payout-inclusions', when: 'committed' },
] as const

it('E01 E02 M10 M19 killed at any moment it pays each once, from the same bytes, without a gap', async () => {
  const { signer } = flow
  await signer.signer.close()
  const orders: PayoutOrders = {
    databaseUrl: database.urls.app,
    nodeUrl: anvil.url,
    mnemonic: signer.options.mnemonic,
    lanes: 2,
    logPath: signer.logPath,
    intentKey: signer.intentKey.export().toString('hex'),
  }
  const payments = []
  for (const moment of moments) {
    payments.push(await flow.pay())
    expect(await run({ ...orders, interrupt: { signal: 'SIGKILL', ...moment } })).toBe(true)
  }
  expect(await run(orders)).toBe(false)
  await flow.mine()
  for (const moment of endings) {
    expect(await run({ ...orders, interrupt: { signal: 'SIGKILL', ...moment } })).toBe(true)
  }
  await flow.mine(4)
  expect(await run(orders)).toBe(false)
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
