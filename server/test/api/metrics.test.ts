import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { saveHotWalletBalances } from '../../src/outgoing/treasury/hot-wallet-store.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import { booksCheckRecords, ledgerAccountRecords, provenBooksRecords } from '../support/books/records.ts'
import { chainFailureRecords, cursorRecords, depositPauseRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { hotWallet, openHotWallet } from '../support/hot-wallet.ts'
import {
  haltRecords,
  outgoingRecords,
  refusalRecords,
  waitRecords,
  withdrawalRecords,
} from '../support/outgoing/records.ts'
import { fromNow, now } from '../support/records/values.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

it('shows chains, outgoing transactions, the queue and the amount that hot wallets lack for it, in the format of Prometheus', async () => {
  const seller = await api.openSeller()
  const { body } = await api.addressOf(await seller.createInvoice())
  await api.blocks.mine([api.blocks.pay(body.address.toLowerCase(), 10_000_000n)])
  await api.blocks.mine()
  await openHotWallet(api.shop)
  const observed = { network: 'ethereum', address: hotWallet, asset: 'ethereum/USDT', height: 1 }
  await saveHotWalletBalances(database.db, [{ ...observed, amountMinor: 1_000_000n }])
  const json = { address: `0x${'5a'.repeat(20)}`, amount: '5', paymentMethodID: 1 }
  expect((await seller.call('POST', '/withdrawals', { json })).status).toBe(201)
  await haltRecords.add(database.owner, { cause: 'books', detail: 'a test' })
  const { status, text, headers } = await api.call('GET', '/metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/plain')
  const { feeMinor: fee } = await withdrawalRecords.one(api.shop.db, {}, 'feeMinor')
  const lacking = (5_000_000 - Number(fee) - 1_000_000) / 1e6
  for (const line of [
    'coffer_chain_lag_blocks{network="ethereum"} 0',
    'coffer_outgoing_halted{cause="books"} 1',
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

it('shows what stops money from moving, and since when', async () => {
  const method = api.shop.methods.all[0]?.asset ?? ''
  await standStill(method)
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
  expect(figure('outgoing_waiting{network="ethereum",cause="capital"}')).toBe(1)
  expect(figure('outgoing_refused{code="over-limit"}')).toBe(2)
  expect(figure('outgoing_open{network="ethereum",state="needs_recheck"}')).toBe(1)
  expect(figure(`unattributed_balance${asset}`)).toBe(7)
  for (const [name, minutes] of [
    ['outgoing_oldest_seconds{network="ethereum",state="needs_recheck"}', 10],
    ['chain_failing_seconds{network="ethereum"}', 20],
    ['chain_heard_seconds_ago{network="ethereum"}', 30],
    ['books_checked_seconds_ago', 40],
    ['books_rescanned_seconds_ago', 60],
    [`withdrawals_oldest_seconds${asset}`, 50],
  ] as const) {
    expect(figure(name), name).toBeGreaterThanOrEqual(minutes * 60)
    expect(figure(name), name).toBeLessThan(minutes * 60 + 60)
  }
})

const ago = (minutes: number) => fromNow(`${-minutes} minutes`)

/**
 * Creates the problems that the metrics must show: a chain that is not followed, an outgoing transaction that
 * must be rechecked, one wait, two refusals, and 7 unattributed units.
 */
async function standStill(asset: string): Promise<void> {
  const { owner } = database
  const detail = 'a test'
  const network = 'ethereum'
  const refused = { network, kind: 'withdrawal', intent: '{}', code: 'over-limit', detail }
  await refusalRecords.add(
    owner,
    { outgoingTransactionId: newId(), ...refused },
    { outgoingTransactionId: newId(), ...refused },
  )
  await depositPauseRecords.add(owner, { network, depth: 30, untilHeight: 1_000 })
  await waitRecords.add(owner, { network, cause: 'capital', detail })
  await outgoingRecords.add(owner, {
    id: newId(),
    network,
    kind: 'deploy',
    intent: '{}',
    state: 'needs_recheck',
    maxCostMinor: 1n,
    plannedAt: ago(10),
  })
  await chainFailureRecords.add(owner, { network, message: detail, failingSince: ago(20) })
  await cursorRecords.change(owner, {}, { seenAt: ago(30) })
  await provenBooksRecords.add(owner, {
    prover: 'continuous',
    sequence: 0,
    beganAt: now,
    fullAt: ago(60),
    sums: '[]',
    mac: detail,
  })
  await booksCheckRecords.change(owner, {}, { checkedAt: ago(40) })
  await withdrawalRecords.change(owner, {}, { createdAt: ago(50) })
  await ledgerAccountRecords.add(owner, { name: 'unattributed', asset, credits: 7_000_000n })
}

it('has as many series after ten thousand requests as after one', async () => {
  const { observe, read } = openMetrics()
  const answered = { method: 'GET', route: '/healthz', status: 200, ms: 3 }
  const requestFigures = async () => {
    const text = await read({ db: database.db, methods: api.shop.methods })
    return text.split('\n').filter((line) => line.startsWith('coffer_http_request_seconds'))
  }
  observe(answered)
  const ofOne = await requestFigures()
  for (let count = 1; count < 10_000; count += 1) observe({ ...answered, ms: count })
  const ofMany = await requestFigures()
  expect(ofMany).toHaveLength(ofOne.length)
  expect(ofMany.filter((line) => line.includes('_count{')).map((line) => line.split(' ').at(-1))).toEqual([
    '10000',
  ])
})

it.each(['x-forwarded-for', 'forwarded', 'via'])(
  'refuses the metrics to a client behind a proxy on this host, trusted or not, as %s shows',
  async (name) => {
    const { status, text } = await api.call('GET', '/metrics', { headers: { [name]: 'for=127.0.0.1' } })
    expect(status).toBe(403)
    expect(text).not.toContain('coffer_')
  },
)
