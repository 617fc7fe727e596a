/**
 * Tests the promotion of a standby that lagged behind its primary. The end of history is lost, with
 * acknowledged invoices and addresses that payers were shown. The surviving process remembers those that it
 * created itself. The addresses of a process that died with the primary are derived again.
 */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { CommittedFacts } from '../../src/core/committed-facts.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { type Db, openDb, withFacts } from '../../src/platform/db/pool.ts'
import { recoverLost } from '../../src/recovery/lost-history/recover-lost.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { testMacs } from '../support/books-macs.ts'
import { ageLosses } from '../support/lose-records.ts'
import { makeShop, type Shop, takePrices, testMnemonic } from '../support/shop.ts'
import { type ReplicatedDatabase, useReplicated } from '../support/standby.ts'
import { watchManually } from '../support/watch-manually.ts'

const replicated = useReplicated()
const facts = new CommittedFacts(systemClock)
const chain = new FakeChain({ genesisAt: new Date(), blockTimeMs: 0 })
const reader = openFakeReader(chain, { hasOutpoints: true })
const coinMethodId = 3
const eachCount = 40
let pair: ReplicatedDatabase
let db: Db
let owner: Db
/** The shops of the surviving process, and of the one that dies with the primary. */
let shop: Shop
let gone: Shop

beforeAll(async () => {
  pair = await replicated.start()
  db = openDb({ url: pair.urls.app, log: silentLog, macs: testMacs })
  owner = openDb({ url: pair.urls.owner, connections: 2, log: silentLog })
  shop = makeShop({ db: withFacts(db, facts), owner, urls: pair.urls })
  gone = makeShop({ db, owner, urls: pair.urls })
  await takePrices(shop)
  await openWatcher().follow()
})

afterAll(() => Promise.all([db.close(), owner.close()]))

const openWatcher = () => watchManually(shop, () => reader)

interface Shown {
  readonly invoiceId: string
  readonly address: string
  readonly amountMinor: bigint
}

/** @param of the shop of the process that creates the invoices */
async function openShown(of: Shop, merchantId: string): Promise<readonly Shown[]> {
  const shown: Shown[] = []
  for (let count = 0; count < eachCount; count += 1) {
    const invoiceId = await of.openInvoice(merchantId, { methodId: coinMethodId })
    shown.push({ invoiceId, ...(await of.addressFor(invoiceId, coinMethodId)) })
  }
  return shown
}

function pay(invoices: readonly Shown[]): void {
  const moves = invoices.map(({ address, amountMinor }) => ({
    asset: { type: 'coin' as const },
    sender: chain.newAddress(),
    recipient: address.toLowerCase(),
    amountMinor,
  }))
  chain.mine([chain.transaction(moves, { spends: [chain.newOutpoint()] })], new Date())
  chain.mine([], new Date())
}

const countOf = async (ids: readonly string[], isSo: ReturnType<typeof sql>) => {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) as count from invoice where id = any(${[...ids]}) and ${isSo}`,
  )
  return required(row, 'a count').count
}

it('restores what a process remembers, sees payments to all other addresses, and misses no payment', async () => {
  const merchantId = await shop.openMerchant()
  const kept = await openShown(shop, merchantId)
  // The standby knows this branch of addresses, but not how many of its addresses were used.
  await gone.addressFor(await gone.openInvoice(merchantId, { methodId: coinMethodId }), coinMethodId)
  await pair.caughtUp()
  pair.holdUpStream()
  const lastSeenAt = new Date()
  const lost = await openShown(shop, merchantId)
  const orphaned = await openShown(gone, merchantId)
  pay([...kept.slice(0, 5), ...lost.slice(0, 5)])
  await openWatcher().follow()
  await pair.failOver()
  await expect.poll(() => countOf([], sql`true`).catch(() => undefined), { timeout: 20_000 }).toBe(0)
  const ids = (shown: readonly Shown[]) => shown.map(({ invoiceId }) => invoiceId)
  expect(await countOf(ids(lost), sql`true`)).toBe(0)
  expect(await countOf(ids(kept), sql`true`)).toBe(eachCount)
  const records = await notice(lastSeenAt)
  const [recovery] = await db.query<{ added: number }>(sql`select added_count as added from loss_recovery`)
  await ageLosses({ owner })
  pay([...lost.slice(5), ...orphaned, ...kept.slice(5)])
  await takePrices(shop)
  await openWatcher().follow()
  const paid = sql`state = 'paid'`
  expect(await countOf(ids(lost), paid)).toBe(eachCount)
  expect(await countOf(ids(kept), paid)).toBe(eachCount)
  const unattributed = await db.query(sql`select recipient from deposit where merchant_id is null`)
  expect(unattributed).toHaveLength(eachCount)
  expect(await openWatcher().findViolations()).toEqual([])
  const back = records.filter(({ kind, outcome }) => kind === 'invoice' && outcome === 'put-back').length
  console.log(
    `${eachCount * 2} invoices lost, ${back} put back with their addresses, ${recovery?.added} addresses watched again, ` +
      `${eachCount} payments credited that would have been unattributed, ${eachCount} unattributed, 0 missed`,
  )
}, 60_000)

/** Does what the surviving process does once it notices the loss. */
function notice(lastSeenAt: Date) {
  const { depositXpub: xpub } = new KeyTree(testMnemonic, 1)
  const families = new Map([['evm', { codec: evmAddresses, xpub }]])
  const parts = { families, facts, settling: shop, processId: newId(), clock: systemClock, log: silentLog }
  const loss = { incarnation: 2, noticedAt: new Date(), lastSeenAt, isProven: true }
  return recoverLost({ ...parts, db: shop.db, macKey: shop.macKey }, loss, new AbortController().signal)
}
