/**
 * Writes merchants with unpaid invoices directly into the tables. Another benchmark measures the creation of
 * invoices through the API.
 */
import { createHash, randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { assert, required } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { macKeyId } from '../src/core/mac-key-ring.ts'
import { openSealer } from '../src/core/seal.ts'
import { Secret } from '../src/core/settings.ts'
import { webhookSecretContext } from '../src/merchants/webhook-endpoint.ts'
import { noteBooksKey } from '../src/oversight/books-key/books-key-store.ts'
import { assignmentMac } from '../src/payments/invoices/addresses/assignment-mac.ts'
import { withQuoteMac } from '../src/payments/invoices/addresses/quote-mac.ts'
import { termsMac } from '../src/payments/invoices/terms/terms-mac.ts'
import type { Queryable } from '../src/platform/db/pool.ts'
import { testBooksKey, testMacs } from '../test/support/books-macs.ts'

/** The amount of each invoice: 10 USD in USDT at a price of 1. */
export const amountMinor = 10_000_000n

/** The asset in which the invoices of a shop are paid. */
export interface PaidIn {
  readonly methodId: number
  readonly network: string
  readonly family: string
  /** The amount of each invoice in the asset's smallest unit. It is worth 10 USD. */
  readonly amountMinor: bigint
  /** Price in 10^-12 USD per whole unit. */
  readonly priceUsd: bigint
  /**
   * Returns an address of the network, which `seed` and `index` determine. Nobody has the keys of these
   * addresses.
   */
  addressOf(seed: string, index: number): string
}

export const inUsdt: PaidIn = {
  methodId: 1,
  network: 'ethereum',
  family: 'evm',
  amountMinor,
  priceUsd: 10n ** 12n,
  addressOf,
}
export const encryptionKey = new Secret('5a'.repeat(32))
export const webhookSecret = 'a webhook secret of the benchmark, long enough'
const rowsPerStatement = 10_000

export interface ShopConfig {
  readonly seed: string
  readonly merchants: number
  /** Number of open invoices. Each has a watched address and a quote. */
  readonly addresses: number
  /** The asset of the payments; USDT by default. */
  readonly paidIn?: PaidIn
  /** Index of the first address, 0 by default. Shops in one database have different addresses. */
  readonly firstIndex?: number
}

/** Writes the shop and returns the watched addresses. */
export async function fillShop(db: Queryable, config: ShopConfig): Promise<readonly string[]> {
  const { paidIn = inUsdt, firstIndex = 0 } = config
  const merchantIds = Array.from({ length: config.merchants }, () => newId())
  await db.query(sql`
    insert into merchant (id, name) select id, 'Bench' from unnest(${merchantIds}::uuid[]) as one (id)`)
  await db.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select ${paidIn.family}, 1, 'bench', id, pg_postmaster_start_time() from database_identity
    on conflict do nothing`)
  const addresses = Array.from({ length: config.addresses }, (_, index) =>
    paidIn.addressOf(config.seed, firstIndex + index),
  )
  await noteBooksKey(db, macKeyId(testBooksKey))
  for (let from = 0; from < addresses.length; from += rowsPerStatement)
    await addInvoices(
      db,
      paidIn,
      merchantIds,
      firstIndex + from,
      addresses.slice(from, from + rowsPerStatement),
    )
  return addresses
}

/** Sets `url` as the webhook of every merchant. */
export async function sendWebhooksTo(db: Queryable, url: string): Promise<void> {
  const merchants = await db.query<{ id: string }>(sql`select id from merchant`)
  await setEndpoints(db, new Map(merchants.map(({ id }) => [id, url])))
}

/** Creates a merchant for each URL, with the URL as its webhook. Returns the ids in the order of the URLs. */
export async function openEndpoints(db: Queryable, urls: readonly string[]): Promise<readonly string[]> {
  const ids = urls.map(() => newId())
  await db.query(
    sql`insert into merchant (id, name) select id, 'Bench' from unnest(${ids}::uuid[]) as one (id)`,
  )
  await setEndpoints(db, new Map(urls.map((url, index) => [ids[index] ?? '', url])))
  return ids
}

async function setEndpoints(db: Queryable, urls: ReadonlyMap<string, string>): Promise<void> {
  const sealer = openSealer(encryptionKey)
  const ids = [...urls.keys()]
  await db.query(sql`
    insert into webhook_endpoint (merchant_id, url, sealed_secret, token)
    select id, url, sealed, token from unnest(
      ${ids}::uuid[],
      ${[...urls.values()]}::text[],
      ${ids.map((id) => sealer.seal(webhookSecret, webhookSecretContext(id)))}::bytea[],
      ${ids.map(() => randomUUID())}::text[]) as one (id, url, sealed, token)`)
}

/** The amount of each invoice, in 10^-8 USD. */
const amountUsd = 1_000_000_000n
/** The quotes are valid from 2000 to 2100, so the clock of the chain does not matter. */
const quotedAt = new Date('2000-01-01T00:00:00.000Z')
const quoteEndsAt = new Date('2100-01-01T00:00:00.000Z')

/** An open invoice with its quote and address, and with the MACs that Coffer would have made. */
interface ShopRow {
  readonly invoiceId: string
  readonly merchantId: string
  readonly quoteId: string
  readonly quoteMac: string
  readonly address: string
  readonly index: number
  readonly assignmentMac: string
  readonly termsMac: string
}

function shopRow(
  { methodId, network, family, amountMinor: fullMinor, priceUsd }: PaidIn,
  merchantId: string,
  index: number,
  address: string,
): ShopRow {
  const invoiceId = newId()
  const quoteId = newId()
  const quote = {
    id: quoteId,
    invoiceId,
    paymentMethodId: methodId,
    priceUsd,
    fullMinor,
    quotedAt,
    expiresAt: quoteEndsAt,
  }
  const assignment = { invoiceId, merchantId, amountUsd, paymentMethodId: methodId, network }
  return {
    invoiceId,
    merchantId,
    quoteId,
    address,
    index,
    termsMac: termsMac(testMacs, { id: invoiceId, merchantId, type: 'onetime', amount: '10', amountUsd }),
    quoteMac: withQuoteMac(testMacs, quote, { merchantId, amountUsd }).mac,
    assignmentMac: assignmentMac(testMacs, { family, address, branch: 1, index }, assignment),
  }
}

async function addInvoices(
  db: Queryable,
  paidIn: PaidIn,
  merchantIds: readonly string[],
  from: number,
  addresses: readonly string[],
): Promise<void> {
  const { methodId, network, family, amountMinor: fullMinor, priceUsd } = paidIn
  const rows = addresses.map((address, offset) => {
    const index = from + offset
    return shopRow(paidIn, required(merchantIds[index % merchantIds.length], 'a merchant'), index, address)
  })
  await db.query(sql`
    with wanted as (
      select * from unnest(
        ${rows.map((row) => row.invoiceId)}::uuid[],
        ${rows.map((row) => row.merchantId)}::uuid[],
        ${rows.map((row) => row.quoteId)}::uuid[],
        ${rows.map((row) => row.quoteMac)}::text[],
        ${rows.map((row) => row.address)}::text[],
        ${rows.map((row) => row.index)}::integer[],
        ${rows.map((row) => row.assignmentMac)}::text[],
        ${rows.map((row) => row.termsMac)}::text[])
        as wanted (id, owner_id, quote_id, quote_mac, address, index, assignment_mac, terms_mac)
    ), opened as (
      insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, expires_at,
                           terms_mac)
      select id, owner_id, 'onetime', '10', ${amountUsd.toString()}::numeric, ${methodId}, array[${methodId}::integer],
        now() + interval '1 day', terms_mac
      from wanted
    ), quoted as (
      insert into quote (id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor, quoted_at,
                         expires_at, mac)
      select quote_id, id, ${methodId}, ${priceUsd.toString()}::numeric, now(), '[]', ${fullMinor.toString()}::numeric,
        ${quotedAt}::timestamptz, ${quoteEndsAt}::timestamptz, quote_mac
      from wanted
    )
    insert into address (family, address, branch, index, mac, network, merchant_id, invoice_id, payment_method_id,
                         assigned_at, assignment_mac)
    select ${family}, address, 1, index, '', ${network}, owner_id, id, ${methodId}, now(), assignment_mac from wanted`)
}

/**
 * Checks that Coffer credits payments to the shop. Otherwise the measurement would be meaningless.
 * @throws if a MAC of the shop differs from the MAC that Coffer would make
 */
export async function assertAttributed(db: Queryable): Promise<void> {
  const [found] = await db.query<{ subject: string }>(sql`select subject from tampering limit 1`)
  assert(found === undefined, `the shop has no valid MACs: ${found?.subject}`)
}

/** Returns an address of an EVM network. Nobody has the keys of these addresses. */
export function addressOf(seed: string, index: number): string {
  return `0x${createHash('sha256').update(`${seed}:${index}`).digest('hex').slice(0, 40)}`
}
