/**
 * Tests a database restored to before money left. Coffer learns what the signer signed since, before it pays
 * anything else.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import {
  type MerchantClient,
  merchantAt,
  openMerchant,
  payFrom,
  printedLogin,
} from '../support/coffer-client.ts'
import { ownSettings, runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 90_000, interval: 200 }
const paidBefore = `0x${'a1'.repeat(20)}`
const paidSince = `0x${'a2'.repeat(20)}`
const orderedSince = `0x${'a3'.repeat(20)}`

it('a restored backup from before withdrawals were made pays each once, and the books are correct', {
  timeout: 300_000,
}, async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir)
  let coffer = await startCoffer(settings)
  let shop = await openMerchant(coffer.url, printedLogin(coffer))
  const invoiceId = await shop.createInvoice({ amount: '10000' })
  await payFrom(coffer.nodeUrl, 2, await shop.addressOf(invoiceId))
  await vi.waitFor(async () => expect((await shop.transactions())[0]?.state).toBe('confirmed'), patience)
  await becomesPaid(shop, await order(shop, paidBefore))
  const known = await order(shop, paidSince)
  const backup = await runCoffer(['backup'], settings)
  expect(backup.code, backup.stderr).toBe(0)
  await becomesPaid(shop, known)
  await becomesPaid(shop, await order(shop, orderedSince))
  // The dev chain saves its state once a second.
  await sleep(3_000)
  await coffer.stop()
  const restored = await runCoffer(['restore', backup.stdout.trim(), '--replace'], settings)
  expect(restored.code, restored.stderr).toBe(0)

  // No signer answers here. What it signed since the backup is unknown, so nothing may leave.
  coffer = await startCoffer({ ...settings, SIGNER_SOCKET: join(dataDir, 'nobody.sock') })
  shop = merchantAt(coffer.url, shop)
  const sent = await balancesOf(coffer.nodeUrl)
  const later = await order(shop, paidBefore)
  await coffer.wrote(/"alert":"signer-away"/)
  await sleep(3_000)
  expect(await stageOf(shop, later)).toBe('queued')
  expect(await balancesOf(coffer.nodeUrl)).toEqual(sent)
  await coffer.stop()

  coffer = await startCoffer(settings)
  shop = merchantAt(coffer.url, shop)
  await becomesPaid(shop, known)
  await vi.waitFor(async () => {
    const { body } = await shop.call('GET', `/merchants/${shop.merchantId}/withdrawals`)
    const stands = body.data.map(({ address, state }: { address: string; state: string }) => [
      address.toLowerCase(),
      state,
    ])
    const all = [paidBefore, paidBefore, paidSince, orderedSince].map((address) => [address, 'completed'])
    expect(stands.sort()).toEqual(all.sort())
  }, patience)
  await becomesPaid(shop, later)
  const balances = await balancesOf(coffer.nodeUrl)
  const [twice = 0n, ...once] = balances.map((balance) => BigInt(String(balance)))
  for (const balance of once)
    expect(balance * 2n, 'what was paid since the backup was paid again').toBe(twice)
  expect(await countFinalWithdrawals(dataDir)).toBe(4)
  const { code, stdout, stderr } = await runCoffer(['verify'], settings)
  expect(code, stdout + stderr).toBe(0)
  await coffer.stop()
})

async function order(shop: MerchantClient, address: string): Promise<string> {
  const path = `/merchants/${shop.merchantId}/withdrawals`
  const { status, body } = await shop.call('POST', path, { address, amount: '0.5', paymentMethodID: 3 })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function stageOf(shop: MerchantClient, id: string): Promise<string> {
  return (await shop.call('GET', `/merchants/${shop.merchantId}/withdrawals/${id}`)).body.stage
}

/** Returns the balances of the recipients. */
function balancesOf(nodeUrl: string): Promise<readonly unknown[]> {
  return Promise.all(
    [paidBefore, paidSince, orderedSince].map((address) =>
      callNode(nodeUrl, 'eth_getBalance', [address, 'latest']),
    ),
  )
}

async function becomesPaid(shop: MerchantClient, id: string): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await shop.call('GET', `/merchants/${shop.merchantId}/withdrawals/${id}`)
    expect(body.state).toBe('completed')
  }, patience)
}

/** Returns the number of withdrawal transactions that are final in the database. */
async function countFinalWithdrawals(dataDir: string): Promise<number | undefined> {
  const { app } = await attachEmbedded(dataDir)
  const db = openDb({ url: app, connections: 1, log: silentLog })
  try {
    const rows = await db.query<{ count: number }>(sql`
      select count(*)::integer as count from outgoing_transaction where kind = 'withdrawal' and state = 'final'`)
    return rows[0]?.count
  } finally {
    await db.close()
  }
}
