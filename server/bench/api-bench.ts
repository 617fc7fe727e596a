/**
 * Measures the API and compares the results with the performance targets. Coffer runs as `coffer start
 * --roles api` in a separate process, on the embedded PostgreSQL with full durability. This process generates
 * the load.
 */
import type { CloseStack } from '../src/app/close-stack.ts'
import { startCursor } from '../src/chains/blocks/store.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { saveDevTokens } from '../src/pricing/payment-methods/store.ts'
import type { BenchParts } from './bench.ts'
import { closeAfter } from './close-after.ts'
import { fillInvoices, openMerchant } from './fill-invoices.ts'
import { measureAddresses, measureCreates } from './measure-invoices.ts'
import { measureLists } from './measure-lists.ts'
import { failureOf, figure, type Measurement } from './measurement.ts'
import { openLoad } from './open-load.ts'
import { openNode } from './open-node.ts'
import { openPostgres } from './open-postgres.ts'
import { startCoffer } from './start-coffer.ts'

const full = { invoices: 1_000_000, durationMs: 3_000, rounds: 5 }
const quick = { invoices: 100_000, durationMs: 1_500, rounds: 3 }

export function apiBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, opened))
}

async function measureAll({ quick: isQuick, note }: BenchParts, opened: CloseStack) {
  const sizes = isQuick ? quick : full
  const postgres = await openPostgres()
  opened.add('PostgreSQL', () => postgres.stop())
  note(postgres.description)
  const node = await openNode()
  opened.add('anvil', () => node.stop())
  const draft = await postgres.copy()
  const merchant = await openMerchant(draft)
  await saveDevTokens(
    draft.db,
    Object.entries(node.tokens).map(([symbol, contract]) => ({
      network: node.chain.network,
      symbol,
      contract,
    })),
  )
  await startChain(draft.db)
  const shop = await openMerchant(draft)
  note(`a merchant with ${sizes.invoices} invoices`)
  await fillInvoices(draft, merchant.merchantId, sizes.invoices)
  await draft.settleAndClose()
  const database = await postgres.copy(draft.name)
  opened.add('database', () => database.db.close())
  const coffer = await startCoffer(database, node, 'api')
  opened.add('Coffer', () => coffer.stop())
  const load = openLoad(coffer.url)
  opened.add('load', () => load.close())
  const prepared = { ...sizes, ...database, pid: coffer.pid, load, note }
  const measurements: Measurement[] = []
  const report = (measurement: Measurement) => {
    measurements.push(measurement)
    const { bar, measured, unit, remark } = measurement
    note(`${bar}: ${figure(measured)} ${unit}; ${remark}`)
  }
  const attempt = (part: string, measuring: Promise<void>) =>
    measuring.catch((error: unknown) => report(failureOf(part, error)))
  await attempt('POST invoice', measureCreates({ ...prepared, merchant: shop }, report))
  await attempt('addresses', measureAddresses({ ...prepared, merchant: shop }, report))
  await attempt('lists', measureLists({ ...prepared, merchant }, report))
  const memory = { must: { atMost: 300 }, unit: 'MB', remark: 'resident, after all measurements above' }
  await attempt(
    'memory of the API',
    coffer.memoryMb().then((measured) => report({ bar: 'memory of the API', measured, ...memory })),
  )
  return measurements
}

/**
 * Starts a cursor as a watcher does, because Coffer gives out addresses only on networks whose blocks are
 * followed.
 */
function startChain(db: Db): Promise<void> {
  const hash = `0x${'1'.repeat(64)}`
  const parentHash = `0x${'0'.repeat(64)}`
  const block = { height: 1, hash, parentHash, minedAt: new Date() }
  return inTransaction(db, (tx) => startCursor(tx, 'ethereum', block))
}
