/** Merchants with invoices that wait to be paid, written straight into the tables: making them is another bench. */
import { createHash, randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { newId } from '../src/core/ids.ts'
import { openSealer } from '../src/core/seal.ts'
import { Secret } from '../src/core/settings.ts'
import type { Queryable } from '../src/db/pool.ts'
import { webhookSecretContext } from '../src/merchants/webhook-endpoint.ts'

/** What each invoice asks for: 10 USD in USDT at a price of 1. */
export const amountMinor = 10_000_000n

/** In what a shop is paid. */
export interface PaidIn {
  readonly methodId: number
  readonly network: string
  readonly family: string
  /** What each invoice asks for, worth 10 USD. */
  readonly amountMinor: bigint
  /** In 10^-12 USD per whole unit. */
  readonly priceUsd: bigint
  /** The `index`-th address of a seed: nobody has its key. */
  addressOf(seed: string, index: number): string
}

export const inUsdt: PaidIn = {
  ...{ methodId: 1, network: 'ethereum', family: 'evm', amountMinor, priceUsd: 10n ** 12n },
  addressOf,
}
export const encryptionKey = new Secret('5a'.repeat(32))
export const webhookSecret = 'a webhook secret of the benchmark, long enough'
const rowsPerStatement = 10_000

export interface ShopWish {
  readonly seed: string
  readonly merchants: number
  /** Open invoices, each with an address that is watched and a quote. */
  readonly addresses: number
  /** In USDT where nothing is said. */
  readonly paidIn?: PaidIn
}

/** Returns the watched addresses. */
export async function fillShop(db: Queryable, wish: ShopWish): Promise<readonly string[]> {
  const { paidIn = inUsdt } = wish
  const merchantIds = Array.from({ length: wish.merchants }, () => newId())
  await db.query(sql`
    insert into merchant (id, name) select id, 'Bench' from unnest(${merchantIds}::uuid[]) as one (id)`)
  await db.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    select ${paidIn.family}, 1, 'bench', id, pg_postmaster_start_time() from database_incarnation`)
  const addresses = Array.from({ length: wish.addresses }, (_, index) => paidIn.addressOf(wish.seed, index))
  for (let from = 0; from < addresses.length; from += rowsPerStatement)
    await addInvoices(db, paidIn, merchantIds, from, addresses.slice(from, from + rowsPerStatement))
  return addresses
}

/** Sends every merchant's webhooks to `url`. */
export async function sendWebhooksTo(db: Queryable, url: string): Promise<void> {
  const merchants = await db.query<{ id: string }>(sql`select id from merchant`)
  await setEndpoints(db, new Map(merchants.map(({ id }) => [id, url])))
}

/** A merchant for each URL, who is told of events there; their ids, in the order of the URLs. */
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

async function addInvoices(
  db: Queryable,
  { methodId, network, family, amountMinor: fullMinor, priceUsd }: PaidIn,
  merchantIds: readonly string[],
  from: number,
  addresses: readonly string[],
): Promise<void> {
  const ids = addresses.map(() => newId())
  const owners = addresses.map((_, index) => merchantIds[(from + index) % merchantIds.length])
  await db.query(sql`
    with wanted as (
      select * from unnest(${ids}::uuid[], ${owners}::uuid[], ${[...addresses]}::text[])
        with ordinality as wanted (id, owner_id, address, place)
    ), opened as (
      insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, expires_at)
      select id, owner_id, 'onetime', '10', 1000000000, ${methodId}, array[${methodId}::integer], now() + interval '1 day' from wanted
    ), quoted as (
      insert into quote (id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor, quoted_at,
                         expires_at)
      select uuidv7(), id, ${methodId}, ${priceUsd.toString()}::numeric, now(), '[]', ${fullMinor.toString()}::numeric, '-infinity', 'infinity' from wanted
    )
    insert into address (family, address, branch, index, mac, network, merchant_id, invoice_id, payment_method_id,
                         assigned_at)
    select ${family}, address, 1, ${from} + place, '', ${network}, owner_id, id, ${methodId}, now() from wanted`)
}

/** On EVM networks. */
export function addressOf(seed: string, index: number): string {
  return `0x${createHash('sha256').update(`${seed}:${index}`).digest('hex').slice(0, 40)}`
}
