import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { saveLaneBalances } from '../../src/outgoing/treasury/lane-store.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import { useDatabase } from '../support/database.ts'
import { hotWallet, openHotWallet } from '../support/hot-wallet.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

it('tells chains, payouts, the queue and what the hot wallet lacks to pay it, in the text of Prometheus', async () => {
  const seller = await api.openSeller()
  const { body } = await api.addressOf(await seller.createInvoice())
  await api.blocks.mine([api.blocks.pay(body.address.toLowerCase(), 10_000_000n)])
  await api.blocks.mine()
  await openHotWallet(api.shop)
  const place = { network: 'ethereum', address: hotWallet, asset: 'ethereum/USDT', height: 1 }
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

it('tells what stands in the way of money, and since when', async () => {
  const method = api.shop.methods.all[0]?.asset ?? ''
  for (const statement of standstills(method)) await database.owner.query(statement)
  const { text } = await api.call('GET', '/metrics')
  const figure = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`coffer_${name} `))
        ?.slice(`coffer_${name} `.length),
    )
  const asset = `{asset="${method}"}`
  expect(figure('deposits_paused{network="ethereum"}')).toBe(1)
  expect(figure('payouts_waiting{network="ethereum",cause="capital"}')).toBe(1)
  expect(figure('payouts_refused{code="over-limit"}')).toBe(2)
  expect(figure('payouts_open{network="ethereum",state="in_doubt"}')).toBe(1)
  expect(figure(`unattributed_balance${asset}`)).toBe(7)
  for (const [name, minutes] of [
    ['payouts_oldest_seconds{network="ethereum",state="in_doubt"}', 10],
    ['chain_failing_seconds{network="ethereum"}', 20],
    ['chain_heard_seconds_ago{network="ethereum"}', 30],
    ['books_checked_seconds_ago', 40],
    ['books_looked_again_seconds_ago', 60],
    [`withdrawals_oldest_seconds${asset}`, 50],
  ] as const) {
    expect(figure(name), name).toBeGreaterThanOrEqual(minutes * 60)
    expect(figure(name), name).toBeLessThan(minutes * 60 + 60)
  }
})

const ago = (minutes: number) => sql`now() - ${minutes} * interval '1 minute'`

/** A chain that is not followed, a payout in doubt, one wait, two refusals, and 7 units that are nobody's. */
function standstills(asset: string) {
  const refusals = [newId(), newId()].map(
    (id) => sql`
      insert into payout_refusal (payout_id, network, kind, intent, code, detail)
      values (${id}, 'ethereum', 'withdrawal', '{}', 'over-limit', 'a test')`,
  )
  return [
    ...refusals,
    sql`insert into deposit_pause (network, depth, until_height) values ('ethereum', 30, 1000)`,
    sql`insert into payout_wait (network, cause, detail) values ('ethereum', 'capital', 'a test')`,
    sql`insert into payout (id, network, kind, intent, wallet_place, wallet, nonce, state, gas, max_fee_minor, tip_minor, planned_at)
        values (${newId()}, 'ethereum', 'deploy', '{}', '{}', ${hotWallet}, 0, 'in_doubt', 1, 1, 1, ${ago(10)})`,
    sql`insert into chain_failure (network, message, failing_since) values ('ethereum', 'a test', ${ago(20)})`,
    sql`update chain_cursor set seen_at = ${ago(30)}`,
    sql`insert into proven_books (prover, sequence, began_at, full_at, sums, mac)
        values ('standing', 0, now(), ${ago(60)}, '[]', 'a test')`,
    sql`update books_check set checked_at = ${ago(40)}`,
    sql`update withdrawal set created_at = ${ago(50)}`,
    sql`insert into ledger_account (name, asset, credits) values ('unattributed', ${asset}, 7000000)`,
  ]
}

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
