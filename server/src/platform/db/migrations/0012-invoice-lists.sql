-- Lists of invoices that answer with an exact total, however many there are.

-- What a search looks through, in lower case. The unit separator keeps a match from reaching across the two.
alter table invoice add column search_text text
  generated always as (lower(coalesce(description, '') || chr(31) || coalesce(reference, ''))) stored;

drop index invoice_merchant_created;
create index invoice_by_time on invoice (merchant_id, created_at, id) include (archived_at)
  where deleted_at is null;
create index invoice_by_amount on invoice (merchant_id, amount_usd, id) include (archived_at)
  where deleted_at is null;
-- Each cell, that is all invoices of a merchant that agree in whatever has few values, is one run of this index. What
-- the expressions read is included, else it could not be answered from the index alone.
create index invoice_by_cell on invoice (merchant_id, payment_method_ids, type, state, aml_ok,
    coalesce(collect_state, ''), (archived_at is not null), created_at, id)
  include (amount_usd, collect_state, archived_at)
  where deleted_at is null;
alter table invoice set (autovacuum_vacuum_insert_scale_factor = 0.02);

-- Finds parts of words. Where the extension cannot be had, searching reads all of a merchant's invoices instead.
do $$
begin
  create extension if not exists pg_trgm;
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'searches will be slow: the extension pg_trgm cannot be made by %', current_user;
end
$$;
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index invoice_search on invoice using gin (search_text gin_trgm_ops)
      with (gin_pending_list_limit = 512) where deleted_at is null;
  end if;
end
$$;

-- How many invoices of a merchant there are: by cell, and by ranges of time and amount. What is counted here is behind
-- by what `invoice_count_change` holds: the sum of both is exact in every snapshot.
create table invoice_cell_count (
  merchant_id uuid not null,
  payment_method_ids integer[] not null,
  type text not null,
  state text not null,
  aml_ok boolean not null,
  -- Empty where it collects nothing.
  collect_state text not null,
  is_archived boolean not null,
  invoices bigint not null,
  primary key (merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived)
) with (fillfactor = 50);

create table invoice_range_count (
  merchant_id uuid not null,
  scale text not null check (scale in ('day', 'days', 'amount', 'amounts')),
  -- See invoice_scales().
  bucket integer not null,
  is_archived boolean not null,
  invoices bigint not null,
  primary key (merchant_id, scale, bucket, is_archived)
) with (fillfactor = 50);

-- One row per change, so that nobody who writes an invoice waits for another.
create table invoice_count_change (
  merchant_id uuid not null,
  payment_method_ids integer[] not null,
  type text not null,
  state text not null,
  aml_ok boolean not null,
  collect_state text not null,
  is_archived boolean not null,
  created_at timestamptz(3) not null,
  amount_usd numeric(20, 0) not null,
  difference integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index invoice_count_change_merchant on invoice_count_change (merchant_id);

-- Days since 1970 in UTC, and 32 of them; the number of digits with the four leading ones, and with two.
create function invoice_scales(created_at timestamptz, amount_usd numeric)
returns table (scale text, bucket integer) language sql immutable as $$
  select scale, bucket from (
    select floor(extract(epoch from created_at) / 86400)::integer as day,
      length(amount_usd::text) * 10000 + rpad(left(amount_usd::text, 4), 4, '0')::integer as four
  ) fine cross join lateral (values
    ('day', day), ('days', floor(day / 32.0)::integer), ('amount', four), ('amounts', four / 100)
  ) scales (scale, bucket)
$$;

-- Whoever writes an invoice keeps the counts, in the same transaction.
create function count_invoices() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, 1
    from added where deleted_at is null;
  elsif tg_op = 'DELETE' then
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, -1
    from removed where deleted_at is null;
  else
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived, created_at, amount_usd,
      sum(difference)
    from (
      select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, '') as collect_state,
        archived_at is not null as is_archived, created_at, amount_usd, 1 as difference
      from added where deleted_at is null
      union all
      select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
        archived_at is not null, created_at, amount_usd, -1
      from removed where deleted_at is null
    ) change
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    having sum(difference) <> 0;
  end if;
  return null;
end
$$;
create trigger invoice_counted_in after insert on invoice
  referencing new table as added for each statement execute function count_invoices();
create trigger invoice_counted_over after update on invoice
  referencing old table as removed new table as added for each statement execute function count_invoices();
create trigger invoice_counted_out after delete on invoice
  referencing old table as removed for each statement execute function count_invoices();

insert into invoice_count_change
select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
  archived_at is not null, created_at, amount_usd, 1
from invoice where deleted_at is null;
