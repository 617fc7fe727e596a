-- What a merchant's overview is made of, by day, so that it does not read a million payments whenever one more comes.

-- Invoices by the day on which they were created and what has become of them, without those that are paid out. What is
-- counted here is behind by what `invoice_count_change` holds, as the other counts are.
create table invoice_outcome_count (
  merchant_id uuid not null,
  -- Of UTC.
  day date not null,
  state text not null,
  invoices bigint not null,
  primary key (merchant_id, day, state)
) with (fillfactor = 50);

-- Confirmed payments, without what is in quarantine, by the day of their confirmation. What is summed here is behind by what
-- `payment_day_change` holds: the sum of both is exact in every snapshot.
create table payment_day_sum (
  merchant_id uuid not null,
  -- Of UTC.
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  -- The sum of amount times price; payments without a price are counted beside it.
  worth numeric not null,
  unpriced bigint not null,
  primary key (merchant_id, day, payment_method_id)
) with (fillfactor = 50);

-- A row for each day and method that a statement changes, so that nobody who writes a payment waits for another.
create table payment_day_change (
  merchant_id uuid not null,
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  worth numeric not null,
  unpriced bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index payment_day_change_merchant on payment_day_change (merchant_id);

create function sum_payments() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, count(*), sum(amount_minor),
      sum(amount_minor * coalesce(price, 0)), count(*) filter (where price is null)
    from added
    where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, -count(*), -sum(amount_minor),
      -sum(amount_minor * coalesce(price, 0)), -count(*) filter (where price is null)
    from removed
    where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    group by 1, 2, 3;
  else
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, sum(sign), sum(sign * amount_minor),
      sum(sign * amount_minor * coalesce(price, 0)), coalesce(sum(sign) filter (where price is null), 0)
    from (
      select merchant_id, confirmed_at, payment_method_id, amount_minor, price, 1 as sign
      from added
      where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
      union all
      select merchant_id, confirmed_at, payment_method_id, amount_minor, price, -1
      from removed
      where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    ) change
    group by 1, 2, 3
    having sum(sign) <> 0 or sum(sign * amount_minor) <> 0 or sum(sign * amount_minor * coalesce(price, 0)) <> 0
      or sum(sign) filter (where price is null) <> 0;
  end if;
  return null;
end
$$;
create trigger payments_summed_in after insert on transaction
  referencing new table as added for each statement execute function sum_payments();
create trigger payments_summed_over after update on transaction
  referencing old table as removed new table as added for each statement execute function sum_payments();
create trigger payments_summed_out after delete on transaction
  referencing old table as removed for each statement execute function sum_payments();

insert into payment_day_sum
select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, count(*), sum(amount_minor),
  sum(amount_minor * coalesce(price, 0)), count(*) filter (where price is null)
from transaction
where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
group by 1, 2, 3;

-- The changes that wait are folded into these counts too: they are taken off here.
insert into invoice_outcome_count
select merchant_id, day, state, sum(invoices)
from (
  select merchant_id, (created_at at time zone 'UTC')::date as day, state, 1 as invoices
  from invoice where deleted_at is null and type <> 'withdraw'
  union all
  select merchant_id, (created_at at time zone 'UTC')::date, state, -difference
  from invoice_count_change where type <> 'withdraw'
) counted
group by 1, 2, 3 having sum(invoices) <> 0;
