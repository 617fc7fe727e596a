/** Writes a merchant with the invoices of two years of business directly into the tables. */
import pg from 'pg'
import { newId } from '../src/core/ids.ts'
import { silentLog } from '../src/core/log.ts'
import { apiKeyHash, newApiKey } from '../src/merchants/api-key.ts'
import { invoiceCounts } from '../src/payments/invoices/lists/count-store.ts'
import { aggregateOnce } from '../src/platform/db/aggregate.ts'
import { openDb } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import type { OpenedDatabase } from './open-postgres.ts'

export interface FilledMerchant {
  readonly merchantId: string
  readonly key: string
}

export async function openMerchant({ db }: Pick<OpenedDatabase, 'db'>): Promise<FilledMerchant> {
  const merchantId = newId()
  const key = newApiKey()
  await db.query({ text: `insert into merchant (id, name) values ($1, 'Bench')`, values: [merchantId] })
  await db.query({
    text: 'insert into api_key (merchant_id, key_hash) values ($1, $2)',
    values: [merchantId, apiKeyHash(key)],
  })
  return { merchantId, key }
}

/**
 * Inserts the invoices without indexes and triggers. Afterwards restores both and writes the rows that the
 * triggers would have written. This is ten times as fast and has the same result.
 */
export async function fillInvoices(
  { ownerUrl }: OpenedDatabase,
  merchantId: string,
  invoices: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename in ('invoice', 'invoice_text') and indexname not like '%_pkey'`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await client.query('alter table invoice disable trigger user')
  await client.query(filling, [merchantId, invoices])
  await client.query('alter table invoice enable trigger user')
  await client.query(`
    insert into invoice_text
    select id, merchant_id, search_text from invoice where description is not null or reference is not null`)
  for (const { definition } of indexes) await client.query(definition)
  await client.query(`
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, 1
    from invoice where deleted_at is null`)
  await client.end()
  await aggregateAll(ownerUrl)
}

async function aggregateAll(url: string): Promise<void> {
  const db = openDb({ url, connections: 1, log: silentLog })
  while ((await inTransaction(db, (tx) => aggregateOnce(tx, invoiceCounts, 50_000))) > 0);
  await db.close()
}

/** The random values depend only on the number of the row, so every run works with the same rows. */
const filling = `
  insert into invoice (id, merchant_id, type, state, amount, amount_usd, payment_method_id, payment_method_ids,
    description, reference, aml_ok, collect_state, created_at, expires_at, paid_at, paid_periods, archived_at, deleted_at)
  select gen_random_uuid(), $1, type, state, trim_scale(usd)::text, usd * 100000000, methods[1], methods,
    format('Order %s for %s %s: %s', ordinal,
      (array['Ada','Grace','Alan','Edsger','Barbara','Donald','Frances','John','Radia','Ken'])[1 + (dice >> 3) % 10],
      (array['Lovelace','Hopper','Turing','Dijkstra','Liskov','Knuth','Allen','Backus','Perlman','Thompson'])[1 + (dice >> 7) % 10],
      (array['lamp','chair','table','sofa','carpet','mirror','clock','vase','shelf','desk'])[1 + (dice >> 11) % 10]),
    case when dice % 5 > 0 then 'ref-' || md5(ordinal::text) end,
    dice % 331 <> 0,
    case when type = 'collect' then
      case when state = 'paid' then 'completed' when dice % 51 = 0 then 'sweeping' else 'collecting' end end,
    at, at + interval '1 hour', case when state = 'paid' then at + interval '5 minutes' end, (state = 'paid')::integer,
    case when dice % 20 = 0 and ordinal < $2 * 0.9 then at + interval '90 days' end,
    case when dice % 101 = 0 then at + interval '1 day' end
  from (
    select *,
      case when ordinal > $2 - 2000 and dice % 3 = 0 then 'pending' when type = 'reusable' then 'paid'
        when (dice >> 5) % 100 < 62 then 'paid' when type = 'collect' then 'pending' else 'expired' end as state,
      case when dice % 5 < 2 then (array[9.99, 19.99, 49, 99, 10])[1 + (dice >> 5) % 5]::numeric
        else round(exp((dice >> 4) % 8500 / 1000.0)::numeric + dice % 100 / 100.0 + 0.01, 2) end as usd,
      (array['{1}','{1}','{1}','{1}','{1}','{1,2}','{1,2}','{3}','{3}','{2}','{1,2,3}','{3,1}'])[1 + (dice >> 2) % 12]::integer[]
        as methods
    from (
      select ordinal, dice, now() - ($2 - ordinal) * (interval '730 days' / $2) as at,
        case when dice % 100 < 85 then 'onetime' when dice % 100 < 93 then 'reusable'
          when dice % 100 < 98 then 'collect' else 'withdraw' end as type
      from (select ordinal, abs(hashint4(ordinal)::bigint) as dice from generate_series(1, $2::integer) ordinal) thrown
    ) typed
  ) emitted`
