/**
 * Writes consistent books of a given size directly into the tables, with the MACs, seals and counts that
 * Coffer would have written. A second run adds to the books of the first run.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { required } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { silentLog } from '../src/core/log.ts'
import { macKeyId } from '../src/core/mac-key-ring.ts'
import { journalMac } from '../src/ledger/journal-mac.ts'
import { genesisHash, sealHash } from '../src/ledger/seal.ts'
import { noteBooksKey } from '../src/oversight/books-key/books-key-store.ts'
import { paymentDays } from '../src/oversight/overviews/store.ts'
import { depositMac } from '../src/payments/deposits/deposit-mac.ts'
import { depositCounts } from '../src/payments/deposits/lists/count-store.ts'
import { assignmentMac } from '../src/payments/invoices/addresses/assignment-mac.ts'
import { withQuoteMac } from '../src/payments/invoices/addresses/quote-mac.ts'
import { invoiceCounts } from '../src/payments/invoices/lists/count-store.ts'
import { termsMac } from '../src/payments/invoices/terms/terms-mac.ts'
import { aggregateOnce } from '../src/platform/db/aggregate.ts'
import { openDb } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { type EventType, numbered } from '../src/platform/outbox/event.ts'
import { charge } from '../src/pricing/fees/fee.ts'
import { testBooksKey, testMacs } from '../test/support/books-macs.ts'
import { accountNames, type BooksEnd, readBooksEnd, saveBooksEnd } from './books-end-store.ts'

export interface BooksConfig {
  readonly invoices: number
  /** The total number of addresses, including those that no invoice has. */
  readonly addresses: number
  /** The creation times of the first and the last invoice. */
  readonly fromMs: number
  readonly toMs: number
  /** Whether to write deliveries of the events. Coffer deletes deliveries after some time. */
  readonly hasDeliveries: boolean
}

const network = 'ethereum'
const asset = 'ethereum/USDT'
const methodId = 1
const amountMinor = 10_000_000n
const amountUsd = 1_000_000_000n
const priceUsd = 10n ** 12n
const terms = { percentBasisPoints: 100, flatMinor: 100_000n }
const { feeMinor, netMinor } = charge(amountMinor, terms, 6)
const sender = `0x${'5e'.repeat(20)}`
const merchants = 300
const paymentsPerBlock = 100
const invoicesPerBatch = 10_000
const minuteMs = 60_000

/** Decides whether an invoice is paid. Three of five invoices are. */
export function isPaid(ordinal: number): boolean {
  return ordinal % 5 < 3
}

/** Returns the merchant of an invoice. The first merchant has a third of all invoices. */
function merchantOf(ordinal: number): number {
  return ordinal % 3 === 0 ? 0 : 1 + (ordinal % (merchants - 1))
}

type Table = keyof typeof columns
const columns = {
  invoice:
    'id, merchant_id, type, state, amount, amount_usd, payment_method_id, payment_method_ids, created_at, expires_at, paid_at, paid_periods, terms_mac',
  quote:
    'id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor, quoted_at, expires_at, mac',
  address:
    'id, family, address, branch, index, mac, network, merchant_id, invoice_id, payment_method_id, assigned_at, assignment_mac',
  block: 'network, height, hash, parent_hash, mined_at',
  deposit:
    'id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id, invoice_id, sender, recipient, amount_minor, amount, state, inclusion, block_height, block_hash, block_position, included_at, in_time_at, full_minor, price, fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, created_at, confirmed_at, aml_verdict, mac, proven_inclusion',
  journal: 'id, kind, subject, posted_at, mac',
  journal_line: 'journal_id, ordinal, account_id, debit, credit',
  journal_seal: 'sequence, journal_id, hash',
  event: 'id, merchant_id, sequence, type, subject, body, created_at',
  delivery: 'id, event_id, merchant_id, state, created_at, ended_at',
} as const

/** The rows of one batch, by table. */
class Batch {
  readonly #lines = new Map<Table, string[]>()

  add(table: Table, ...values: readonly (string | number | bigint | null)[]): void {
    const lines = this.#lines.get(table) ?? []
    lines.push(`${values.map((value) => (value === null ? '\\N' : String(value))).join('\t')}\n`)
    this.#lines.set(table, lines)
  }

  async write(client: pg.Client): Promise<void> {
    for (const [table, lines] of this.#lines) {
      const into = client.query(copyFrom(`copy ${table} (${columns[table]}) from stdin`))
      await pipeline(Readable.from([lines.join('')]), into)
    }
  }
}

/**
 * Fills the books.
 * @param url a URL of a superuser, who may disable triggers
 * @param note called with the progress
 */
export async function fillBooks(
  url: string,
  wanted: BooksConfig,
  note: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const db = openDb({ url, connections: 1, log: silentLog })
  await noteBooksKey(db, macKeyId(testBooksKey))
  await client.query('set session_replication_role = replica')
  const end = await readBooksEnd(db, { merchants, network, asset })
  // An invoice's id contains its creation time, so ids sort by time. The new invoices must be later than all
  // existing ones, because new ids must follow the existing ids, as in production.
  const config = { ...wanted, fromMs: Math.max(wanted.fromMs, end.lastInvoiceAt.getTime() + 1) }
  const made = { ...end, invoices: 0 }
  const isFirst = end.sequence === 0
  const indexes = isFirst ? await dropIndexes(client) : []
  while (made.invoices < config.invoices) {
    const batch = new Batch()
    const until = Math.min(config.invoices, made.invoices + invoicesPerBatch)
    for (; made.invoices < until; made.invoices += 1) addInvoice(batch, made, made.invoices, config)
    await batch.write(client)
    if (made.invoices % 300_000 === 0) note(`${made.invoices} invoices of ${config.invoices}`)
  }
  for (let left = config.addresses - config.invoices; left > 0; left -= invoicesPerBatch) {
    const batch = new Batch()
    for (let count = Math.min(left, invoicesPerBatch); count > 0; count -= 1) addFreeAddress(batch, made)
    await batch.write(client)
  }
  for (const definition of indexes) await client.query(definition)
  await inTransaction(db, (tx) => saveBooksEnd(tx, made, { network, asset }))
  for (const aggregate of [invoiceCounts, paymentDays, depositCounts])
    while ((await inTransaction(db, (tx) => aggregateOnce(tx, aggregate, 50_000))) > 0);
  await db.close()
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

/**
 * Drops the indexes and returns their definitions. It is much faster to build an index once over all rows.
 */
async function dropIndexes(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename in (${Object.keys(columns).map((table) => `'${table}'`)})
      and indexname not in (select conname from pg_constraint)`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

const at = (ms: number) => new Date(ms).toISOString()

function addInvoice(batch: Batch, end: BooksEnd, ordinal: number, config: BooksConfig): void {
  const ms = config.fromMs + Math.floor((ordinal * (config.toMs - config.fromMs)) / config.invoices)
  const merchantId = required(end.merchantIds[merchantOf(ordinal)], 'a merchant')
  const id = newId(ms)
  const paidAt = isPaid(ordinal) ? ms + 5 * minuteMs : undefined
  const expiresMs = paidAt === undefined ? config.toMs + 10_000 * 24 * 60 * minuteMs : ms + 24 * 60 * minuteMs
  batch.add(
    'invoice',
    id,
    merchantId,
    'onetime',
    paidAt === undefined ? 'pending' : 'paid',
    '10',
    amountUsd,
    methodId,
    `{${methodId}}`,
    at(ms),
    at(expiresMs),
    paidAt === undefined ? null : at(paidAt),
    paidAt === undefined ? 0 : 1,
    termsMac(testMacs, { id, merchantId, type: 'onetime', amount: '10', amountUsd }),
  )
  addQuote(batch, { id, merchantId, ms })
  const { addressId, address } = addGivenAddress(batch, end, { id, merchantId, ms })
  if (paidAt !== undefined)
    addPayment(batch, end, { invoiceId: id, merchantId, addressId, address, ms: paidAt }, config)
}

interface MadeInvoice {
  readonly id: string
  readonly merchantId: string
  readonly ms: number
}

function addQuote(batch: Batch, { id: invoiceId, merchantId, ms }: MadeInvoice): void {
  const quote = {
    id: newId(ms),
    invoiceId,
    paymentMethodId: methodId,
    priceUsd,
    fullMinor: amountMinor,
    quotedAt: new Date(ms),
    expiresAt: new Date(ms + 15 * minuteMs),
  }
  const { mac } = withQuoteMac(testMacs, quote, { merchantId, amountUsd })
  const { id, quotedAt, expiresAt } = quote
  batch.add(
    'quote',
    id,
    invoiceId,
    methodId,
    priceUsd,
    at(ms),
    '[]',
    amountMinor,
    quotedAt.toISOString(),
    expiresAt.toISOString(),
    mac,
  )
}

function nextAddress(end: BooksEnd): { readonly addressId: number; readonly address: string } {
  end.addressId += 1
  const digest = createHash('sha256').update(`address ${end.addressId}`).digest('hex')
  return { addressId: end.addressId, address: `0x${digest.slice(0, 40)}` }
}

function addGivenAddress(batch: Batch, end: BooksEnd, { id: invoiceId, merchantId, ms }: MadeInvoice) {
  const given = nextAddress(end)
  const { addressId, address } = given
  const derived = { family: 'evm', address, branch: 1, index: addressId }
  const assignment = { invoiceId, merchantId, amountUsd, paymentMethodId: methodId, network }
  batch.add(
    'address',
    addressId,
    'evm',
    address,
    1,
    addressId,
    '\\\\x',
    network,
    merchantId,
    invoiceId,
    methodId,
    at(ms),
    assignmentMac(testMacs, derived, assignment),
  )
  return given
}

function addFreeAddress(batch: Batch, end: BooksEnd): void {
  const { addressId, address } = nextAddress(end)
  batch.add('address', addressId, 'evm', address, 1, addressId, '\\\\x', null, null, null, null, null, null)
}

interface Payment {
  readonly invoiceId: string
  readonly merchantId: string
  readonly addressId: number
  readonly address: string
  readonly ms: number
}

function addPayment(batch: Batch, end: BooksEnd, payment: Payment, config: BooksConfig): void {
  const { invoiceId, merchantId, addressId, address, ms } = payment
  const id = newId(ms)
  const txHash = `0x${createHash('sha256').update(`payment ${addressId}`).digest('hex')}`
  const { height, hash } = blockOf(batch, end, ms)
  const facts = {
    id,
    network,
    transferKey: `${txHash}:0`,
    txHash,
    asset,
    paymentMethodId: methodId,
    merchantId,
    invoiceId,
    sender,
    recipient: address,
    amountMinor,
    inclusion: 1,
    fullMinor: amountMinor,
    priceUsd,
    feePercentBasisPoints: terms.percentBasisPoints,
    feeFlatMinor: terms.flatMinor,
  }
  const confirmedMs = ms + minuteMs
  batch.add(
    'deposit',
    id,
    network,
    facts.transferKey,
    txHash,
    asset,
    methodId,
    addressId,
    merchantId,
    invoiceId,
    sender,
    address,
    amountMinor,
    '10',
    'confirmed',
    1,
    height,
    hash,
    0,
    at(ms),
    at(ms),
    amountMinor,
    priceUsd,
    terms.percentBasisPoints,
    terms.flatMinor,
    feeMinor,
    netMinor,
    at(ms),
    at(confirmedMs),
    'passed',
    depositMac(testMacs, facts),
    1,
  )
  addJournal(batch, end, { depositId: id, merchantId, ms: confirmedMs })
  const emitted = { amount: '10', currency: 'USDT', txHash, invoiceID: invoiceId }
  const split = { fee: formatted(feeMinor), net: formatted(netMinor) }
  const emit = (type: EventType, subject: string, data: object) =>
    addEvent(batch, end, { merchantId, type, subject, occurredAt: new Date(ms), data: { ...data } }, config)
  emit('transaction.detected', `${id}:1`, { ...emitted, fee: null, net: null })
  emit('invoice.paid', `${invoiceId}:1`, emitted)
  emit('transaction.confirmed', `${id}:1`, { ...emitted, ...split })
}

function formatted(minor: bigint): string {
  return String(Number(minor) / 1e6)
}

function blockOf(
  batch: Batch,
  end: BooksEnd,
  ms: number,
): { readonly height: number; readonly hash: string } {
  if (end.paymentsInBlock === 0 || end.paymentsInBlock >= paymentsPerBlock) {
    const parent = end.blockHash
    end.height += 1
    end.paymentsInBlock = 0
    end.blockHash = `0x${createHash('sha256').update(`block ${end.height}`).digest('hex')}`
    batch.add('block', network, end.height, end.blockHash, parent, at(ms))
  }
  end.paymentsInBlock += 1
  return { height: end.height, hash: end.blockHash }
}

function addJournal(
  batch: Batch,
  end: BooksEnd,
  { depositId, merchantId, ms }: { depositId: string; merchantId: string; ms: number },
): void {
  const amounts = { custody: [amountMinor, 0n], available: [0n, netMinor], fees: [0n, feeMinor] } as const
  const lines = accountNames.map((name, ordinal) => ({
    ordinal,
    account: { name, ownerId: merchantId, asset },
    debitMinor: amounts[name][0],
    creditMinor: amounts[name][1],
  }))
  const subject = `deposit:${depositId}:1`
  const journal = { id: newId(ms), kind: 'deposit.credited', subject, reverses: undefined, lines }
  const mac = journalMac(testMacs, journal)
  batch.add('journal', journal.id, journal.kind, subject, at(ms), mac)
  for (const { ordinal, account, debitMinor, creditMinor } of lines) {
    const accountId = required(end.accountIds.get(`${merchantId} ${account.name}`), 'an account')
    batch.add('journal_line', journal.id, ordinal, accountId, debitMinor, creditMinor)
  }
  end.sequence += 1
  end.sealHash = sealHash(end.sequence === 1 ? genesisHash : end.sealHash, end.sequence, {
    ...journal,
    postedAt: new Date(ms),
    mac,
  })
  batch.add('journal_seal', end.sequence, journal.id, `\\\\x${end.sealHash.toString('hex')}`)
}

function addEvent(
  batch: Batch,
  end: BooksEnd,
  event: Parameters<typeof numbered>[0],
  { hasDeliveries }: BooksConfig,
): void {
  const { merchantId, occurredAt } = event
  const sequence = (end.eventSequences.get(merchantId) ?? 0) + 1
  end.eventSequences.set(merchantId, sequence)
  const when = occurredAt.getTime()
  const { id, type, subject, body } = numbered(event, { id: newId(when), sequence })
  batch.add('event', id, merchantId, sequence, type, subject, body, at(when))
  if (hasDeliveries) batch.add('delivery', newId(when), id, merchantId, 'cancelled', at(when), at(when))
}
