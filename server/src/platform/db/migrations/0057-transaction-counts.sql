-- expand
-- How many transactions a merchant sees, by method, state and day, so that a list's total does not count them one by one.
-- Those of deleted invoices are not counted. What is counted here is behind by what `transaction_count_change` holds: the
-- sum of both is exact in every snapshot.
create table transaction_count (
  merchant_id uuid not null,
  scale text not null check (scale in ('day', 'days')),
  -- Days since 1970 in UTC, or 32 of them.
  bucket integer not null,
  payment_method_id integer not null,
  state text not null,
  transactions bigint not null,
  primary key (merchant_id, scale, bucket, payment_method_id, state)
) with (fillfactor = 50);

-- One row for each kind that a statement changes, so that nobody who writes a transaction waits for another.
create table transaction_count_change (
  merchant_id uuid not null,
  -- Of its creation.
  day integer not null,
  payment_method_id integer not null,
  state text not null,
  difference bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index transaction_count_change_merchant on transaction_count_change (merchant_id);

create function day_since_1970(at timestamptz) returns integer language sql immutable as $$
  select floor(extract(epoch from at) / 86400)::integer
$$;

-- Whoever writes a transaction keeps the counts, in the same transaction of the database. The key share lock on its
-- invoice, which the foreign key takes of an inserted row anyway, waits for whoever is deleting the invoice.
create function count_transactions() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into transaction_count_change
    select merchant_id, day_since_1970(created_at), payment_method_id, state, count(*)
    from added
    join (
      select id from invoice where id in (select invoice_id from added) and deleted_at is null order by id for key share
    ) shown on shown.id = invoice_id
    group by 1, 2, 3, 4;
  else
    with changed as materialized (
      select invoice_id, merchant_id, day_since_1970(created_at) as day, payment_method_id, state, sum(sign) as difference
      from (
        select invoice_id, merchant_id, created_at, payment_method_id, state, 1 as sign
        from added where invoice_id is not null
        union all
        select invoice_id, merchant_id, created_at, payment_method_id, state, -1
        from removed where invoice_id is not null
      ) change
      group by 1, 2, 3, 4, 5 having sum(sign) <> 0
    )
    insert into transaction_count_change
    select merchant_id, day, payment_method_id, state, sum(difference)
    from changed
    join (
      select id from invoice where id in (select invoice_id from changed) and deleted_at is null order by id for key share
    ) shown on shown.id = invoice_id
    group by 1, 2, 3, 4 having sum(difference) <> 0;
  end if;
  return null;
end
$$;
create trigger transaction_counted_in after insert on transaction
  referencing new table as added for each statement execute function count_transactions();
create trigger transaction_counted_over after update on transaction
  referencing old table as removed new table as added for each statement execute function count_transactions();

-- The lock waits for whoever is writing a transaction of the invoice; what they wrote is counted out with the rest.
create function count_transactions_of_invoice() returns trigger language plpgsql as $$
begin
  perform from invoice where id = new.id for update;
  insert into transaction_count_change
  select merchant_id, day_since_1970(created_at), payment_method_id, state,
    case when new.deleted_at is null then count(*) else -count(*) end
  from transaction where invoice_id = new.id
  group by 1, 2, 3, 4;
  return null;
end
$$;
create trigger transactions_counted_with_invoice after update on invoice
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
  execute function count_transactions_of_invoice();

insert into transaction_count_change
select transaction.merchant_id, day_since_1970(transaction.created_at), transaction.payment_method_id, transaction.state, count(*)
from transaction join invoice on invoice.id = transaction.invoice_id
where invoice.deleted_at is null
group by 1, 2, 3, 4;
