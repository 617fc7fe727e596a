/** Reads and saves the end of the generated books, so that a later run can add to them. */
import sql from 'sql-template-tag'
import { newId } from '../src/core/ids.ts'
import { genesisHash } from '../src/ledger/seal.ts'
import type { Queryable } from '../src/platform/db/pool.ts'
import type { Tx } from '../src/platform/db/transaction.ts'

/** The names of the ledger accounts of each merchant. */
export const accountNames = ['custody', 'available', 'fees'] as const

export interface BooksEnd {
  readonly merchantIds: readonly string[]
  /** The ids of the merchants' accounts. The key is `<merchant> <name>`. */
  readonly accountIds: ReadonlyMap<string, number>
  readonly eventSequences: Map<string, number>
  addressId: number
  height: number
  blockHash: string
  paymentsInBlock: number
  sequence: number
  sealHash: Buffer
  /** The creation times of the newest invoice and the newest payment; 1 January 1970 if there are none. */
  readonly lastInvoiceAt: Date
  readonly lastPaymentAt: Date
}

interface Scope {
  readonly merchants: number
  readonly network: string
  readonly asset: string
}

export async function readBooksEnd(db: Queryable, scope: Scope): Promise<BooksEnd> {
  await openMerchants(db, scope)
  const merchants = await db.query<{ id: string }>(sql`select id from merchant order by id`)
  const accounts = await db.query<{ id: number; key: string }>(
    sql`select id, owner_id || ' ' || name as key from ledger_account`,
  )
  const counters = await db.query<{ id: string; last: number }>(
    sql`select merchant_id as id, last_sequence as last from event_counter`,
  )
  const [end] = await db.query<{
    address: number
    height: number
    hash: string
    sequence: number
    seal: Buffer | null
    invoiceAt: Date | null
    paymentAt: Date | null
  }>(sql`
    select (select coalesce(max(id), 0) from address) as address,
      coalesce(max(height), 0) as height, coalesce(max(hash), 'genesis') as hash,
      (select coalesce(max(sequence), 0) from journal_seal) as sequence,
      (select hash from journal_seal order by sequence desc limit 1) as seal,
      (select created_at from invoice order by id desc limit 1) as "invoiceAt",
      (select created_at from deposit order by id desc limit 1) as "paymentAt"
    from chain_cursor where network = ${scope.network}`)
  return {
    merchantIds: merchants.map(({ id }) => id),
    accountIds: new Map(accounts.map(({ id, key }) => [key, id])),
    eventSequences: new Map(counters.map(({ id, last }) => [id, last])),
    addressId: end?.address ?? 0,
    height: end?.height ?? 0,
    blockHash: end?.hash ?? 'genesis',
    paymentsInBlock: 0,
    sequence: end?.sequence ?? 0,
    sealHash: end?.seal ?? genesisHash,
    lastInvoiceAt: end?.invoiceAt ?? new Date(0),
    lastPaymentAt: end?.paymentAt ?? new Date(0),
  }
}

async function openMerchants(db: Queryable, { merchants, asset }: Scope): Promise<void> {
  const known = await db.query(sql`select from merchant limit 1`)
  if (known.length > 0) return
  const ids = Array.from({ length: merchants }, () => newId())
  await db.query(sql`
    with opened as (
      insert into merchant (id, name) select id, 'Bench' from unnest(${ids}::uuid[]) as one (id) returning id
    )
    insert into ledger_account (name, owner_id, asset)
    select name, id, ${asset} from opened cross join unnest(${[...accountNames]}::text[]) as one (name)`)
  await db.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select 'evm', 1, 'bench', id, pg_postmaster_start_time() from database_identity`)
}

/**
 * Saves the rows that triggers would have written: totals, counters, the cursor, and the list of changes that
 * the stored counts and sums do not include yet.
 */
export async function saveBooksEnd(
  db: Tx,
  { eventSequences, height, blockHash, lastInvoiceAt, lastPaymentAt }: BooksEnd,
  { network, asset }: Pick<Scope, 'network' | 'asset'>,
): Promise<void> {
  await db.allowStatements(0)
  await db.query(sql`
    update ledger_account account set debits = summed.debit, credits = summed.credit
    from (select account_id, sum(debit) as debit, sum(credit) as credit from journal_line group by 1) summed
    where summed.account_id = account.id and asset = ${asset}`)
  const merchantIds = [...eventSequences.keys()]
  // Counters are inserted with 0 and then updated. If a counter were inserted with a high value, the
  // merchant's first events would seem to be lost.
  await db.query(sql`
    insert into event_counter (merchant_id, last_sequence)
    select merchant_id, 0 from unnest(${merchantIds}::uuid[]) as one (merchant_id) on conflict do nothing`)
  await db.query(sql`
    update event_counter set last_sequence = made.last
    from unnest(${merchantIds}::uuid[], ${[...eventSequences.values()]}::bigint[]) as made (merchant_id, last)
    where event_counter.merchant_id = made.merchant_id`)
  await db.query(sql`
    insert into chain_cursor (network, height, hash, final_height, first_height, head_height)
    values (${network}, ${height}, ${blockHash}, ${height}, 1, ${height})
    on conflict (network) do update set height = excluded.height, hash = excluded.hash,
      final_height = excluded.final_height, head_height = excluded.head_height`)
  await db.query(sql`
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, 1
    from invoice where deleted_at is null and created_at > ${lastInvoiceAt}`)
  await db.query(sql`
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, count(*), sum(amount_minor),
      sum(amount_minor * coalesce(price, 0)), count(*) filter (where price is null)
    from deposit where state = 'confirmed' and merchant_id is not null and created_at > ${lastPaymentAt}
    group by 1, 2, 3`)
  await db.query(sql`
    insert into deposit_count_change
    select merchant_id, day_since_1970(created_at), payment_method_id, state, count(*)
    from deposit where merchant_id is not null and created_at > ${lastPaymentAt}
    group by 1, 2, 3, 4`)
  await db.query(sql`select setval(pg_get_serial_sequence('address', 'id'), (select max(id) from address))`)
}
