import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { useChildScript } from '../support/child-script.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import type { PayoutOrders } from '../support/payout-orders.ts'
import { testMnemonic } from '../support/shop.ts'

/** Planned but not committed; its coins not reserved; planned but not signed; signed but not stored (E01); stored but not
 *  sent; sent but not committed (E02); and what became of it. */
const moments = [
  { named: 'insert-payouts', when: 'before' },
  { named: 'reserve-coins', when: 'before' },
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

describe.skipIf(!hasLitecoind)('payouts in litecoin, killed', () => {
  const flow = useCoinFlow(20)
  const { database } = flow
  const script = useChildScript(new URL('./coin-payouts-child.ts', import.meta.url))

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

  it('E01 E02 M10 killed at any moment between plan, signature and broadcast it pays each once, from the same bytes', async () => {
    const { signer } = flow
    await signer.signer.close()
    const orders: PayoutOrders = {
      ...{ databaseUrl: database.urls.app, nodeUrl: flow.node.url, mnemonic: testMnemonic, lanes: 1 },
      ...{ logPath: signer.logPath, intentKey: signer.intentKey.export().toString('hex') },
    }
    const ltc = 10n ** 8n
    const merchantId = await flow.openFunded(...moments.map(() => 2n * ltc))
    const ordered = []
    for (const moment of moments) {
      ordered.push(await flow.order(merchantId, '0.5'))
      expect(await run({ ...orders, interrupt: { signal: 'SIGKILL', ...moment } })).toBe(true)
    }
    expect(await run(orders)).toBe(false)
    await flow.mineAndFollow()
    for (const moment of endings)
      expect(await run({ ...orders, interrupt: { signal: 'SIGKILL', ...moment } })).toBe(true)
    await flow.mineAndFollow(3)
    expect(await run(orders)).toBe(false)
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
