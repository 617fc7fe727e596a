import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { openMetrics } from '../../src/app/metrics.ts'
import { saveLaneBalances } from '../../src/treasury/lane-store.ts'
import { useDatabase } from '../support/database.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

const lane = `0x${'1a'.repeat(20)}`

it('tells chains, payouts, the queue and what the hot wallet lacks to pay it, in the text of Prometheus', async () => {
  const seller = await api.openSeller()
  const { body } = await api.addressOf(await seller.createInvoice())
  await api.blocks.mine([api.blocks.pay(body.address.toLowerCase(), 10_000_000n)])
  await api.blocks.mine()
  await database.owner.query(
    sql`insert into hot_wallet (network, lane, address) values ('ethereum', 0, ${lane})`,
  )
  const place = { network: 'ethereum', address: lane, asset: 'ethereum/USDT', height: 1 }
  await saveLaneBalances(database.db, [{ ...place, amountMinor: 1_000_000n }])
  const json = { address: `0x${'5a'.repeat(20)}`, amount: '5', paymentMethodID: 1 }
  expect((await seller.call('POST', '/withdrawals', { json })).status).toBe(201)
  await database.owner.query(sql`insert into payout_halt (cause, detail) values ('books', 'a test')`)
  const { status, text, headers } = await api.call('GET', '/metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/plain')
  const { fee } = await api.shop.row<{ fee: string }>(sql`select fee_minor as fee from withdrawal`)
  const lacking = (5_000_000 - Number(fee) - 1_000_000) / 1e6
  for (const line of [
    'coffer_chain_lag_blocks{network="ethereum"} 0',
    'coffer_payouts_halted{cause="books"} 1',
    'coffer_hot_wallet_balance{asset="ethereum/USDT"} 1',
    `coffer_hot_wallet_shortfall{asset="ethereum/USDT"} ${lacking}`,
    'coffer_withdrawals_queued{asset="ethereum/USDT"} 1',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(text).toMatch(/coffer_webhook_backlog \d+/)
  expect(text).toMatch(
    /coffer_http_request_seconds_count\{method="POST",route="[^"]*withdrawals",status="201"\} 1/,
  )
  expect(text).not.toContain(seller.merchantId)
})

it('costs a request next to nothing', () => {
  const { observe } = openMetrics()
  const answered = { method: 'GET', route: '/healthz', status: 200, ms: 3 }
  const began = performance.now()
  for (let count = 0; count < 10_000; count += 1) observe(answered)
  expect((performance.now() - began) / 10_000).toBeLessThan(0.1)
})

it.each(['x-forwarded-for', 'forwarded', 'via'])(
  'are not for whom a proxy on this machine passes on, trusted or not, as %s tells',
  async (name) => {
    const { status, text } = await api.call('GET', '/metrics', { headers: { [name]: 'for=127.0.0.1' } })
    expect(status).toBe(403)
    expect(text).not.toContain('coffer_')
  },
)
