/**
 * Measures the time from a write by the service role until payouts halt for it, in a sandbox with the usual
 * settings. The test prints the times; docs/threats.md has the figures.
 */
import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { attachEmbedded } from '../../src/platform/db/embedded/attach-embedded.ts'
import { type Db, openDb, type Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { type MerchantClient, openMerchant, payFrom, printedLogin } from '../support/coffer-client.ts'
import {
  type CofferProcess,
  ownSettings,
  runCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 120_000, interval: 50 }

/** Returns the milliseconds from these writes until each alert is written. */
async function timeUntil(
  { coffer, db }: { readonly coffer: CofferProcess; readonly db: Db },
  statements: readonly Statement[],
  ...alerts: readonly RegExp[]
): Promise<readonly number[]> {
  const saidBefore = coffer.stderr.length
  await inTransaction(db, async (tx) => {
    for (const statement of statements) await tx.query(statement)
  })
  const writtenAt = performance.now()
  return Promise.all(
    alerts.map(async (alert) => {
      await vi.waitUntil(() => alert.test(coffer.stderr.slice(saidBefore)), patience)
      return Math.round(performance.now() - writtenAt)
    }),
  )
}

function report(what: string, ms: number | undefined): void {
  console.log(`${what}: ${((ms ?? 0) / 1000).toFixed(1)} s from the write to the alert`)
}

const halted = (cause: string) => new RegExp(`"alert":"outgoing-halted","cause":"${cause}"`)

/** Orders a withdrawal and cancels it. Payouts are halted, so it cannot be approved in between. */
async function orderAndCancel(shop: MerchantClient): Promise<string> {
  const path = `/merchants/${shop.merchantId}/withdrawals`
  const order = { address: `0x${'5a'.repeat(20)}`, amount: '0.004', paymentMethodID: 3 }
  const id = await vi.waitUntil(async () => {
    const { status, body } = await shop.call('POST', path, order)
    return status === 201 ? (body.id as string) : false
  }, patience)
  const { status } = await shop.call('DELETE', `${path}/${id}`)
  expect(status).toBe(204)
  return id
}

it('alerts within the time of its check', { timeout: 480_000 }, async () => {
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir, { SANDBOX_BLOCK_TIME_S: '2' })
  const coffer = await startCoffer(settings)
  const db = openDb({ url: (await attachEmbedded(dataDir)).app, connections: 1, log: silentLog })
  const at = { coffer, db }
  const resume = (cause: string) => runCoffer(['payouts', 'resume', cause, '--reason', 'measured'], settings)
  try {
    const shop = await openMerchant(coffer.url, printedLogin(coffer))
    const invoiceId = await shop.createInvoice()
    await payFrom(coffer.nodeUrl, 1, await shop.addressOf(invoiceId))
    await shop.becomes(invoiceId, 'paid')
    const raise = (byMinor: bigint) =>
      sql`update ledger_account set credits = credits + case name when 'available' then ${byMinor}::numeric else 0 end,
            debits = debits + case name when 'custody' then ${byMinor}::numeric else 0 end
          where name in ('available', 'custody') and owner_id = ${shop.merchantId}`
    const checkedAt = async () =>
      String((await db.query(sql`select checked_at from books_check`))[0]?.['checked_at'])
    const creditedAccounts = () =>
      db.query(sql`select from ledger_account where name = 'available' and owner_id = ${shop.merchantId}`)
    await vi.waitUntil(async () => (await creditedAccounts()).length > 0, patience)
    const last = await checkedAt()
    await vi.waitUntil(async () => (await checkedAt()) !== last, patience)
    const [books, solvency] = await timeUntil(
      at,
      [raise(10n ** 18n)],
      halted('books'),
      /"alert":"asset-halted"/,
    )
    report('totals of the ledger, by the continuous check', books)
    report('the same, by the check of solvency', solvency)
    await db.query(raise(-(10n ** 18n)))

    const cancelled = await orderAndCancel(shop)
    await resume('books')
    await resume('ethereum/ETH')
    const revive = sql`
      update withdrawal set state = 'pending', stage = 'queued', ended_at = null, end_reason = null where id = ${cancelled}`
    const [revived] = await timeUntil(at, [revive], halted('tampering'))
    report('a cancelled order written back, by payouts', revived)
    await db.query(
      sql`update withdrawal set state = 'cancelled', stage = null, waits_for = null, ended_at = now() where id = ${cancelled}`,
    )
    await resume('tampering')

    const forged = '0197a1f1-dddd-7ddd-8ddd-dddddddddddd'
    const [posted] = await timeUntil(
      at,
      [
        sql`insert into journal (id, kind, subject) values (${forged}, 'deposit.credited', 'deposit:forged:1')`,
        sql`insert into journal_unsealed (journal_id) values (${forged})`,
        sql`
          insert into journal_line (journal_id, ordinal, account_id, debit, credit)
          select ${forged}, ordinal, account_id, debit, credit from journal_line
          where journal_id = (select id from journal where kind = 'deposit.credited' and id <> ${forged} limit 1)`,
      ],
      halted('tampering'),
    )
    report('a journal that nobody of ours posted, by the sealer and payouts', posted)

    const checked = limits.continuousCheckMs + 30_000
    expect([books, solvency].filter((ms) => (ms ?? 0) > checked)).toEqual([])
    expect([revived, posted].filter((ms) => (ms ?? 0) > 30_000)).toEqual([])
  } finally {
    await db.close()
  }
})
