CREATE OR REPLACE FUNCTION public.coffer_clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
RETURN clock_timestamp();

CREATE OR REPLACE FUNCTION public.coffer_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN now();

CREATE OR REPLACE FUNCTION public.count_deposits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into deposit_count_change
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
    insert into deposit_count_change
    select merchant_id, day, payment_method_id, state, sum(difference)
    from changed
    join (
      select id from invoice where id in (select invoice_id from changed) and deleted_at is null order by id for key share
    ) shown on shown.id = invoice_id
    group by 1, 2, 3, 4 having sum(difference) <> 0;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_deposits_of_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from invoice where id = new.id for update;
  insert into deposit_count_change
  select merchant_id, day_since_1970(created_at), payment_method_id, state,
    case when new.deleted_at is null then count(*) else -count(*) end
  from deposit where invoice_id = new.id
  group by 1, 2, 3, 4;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_invoices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.current_wal_timeline()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint
$function$;

CREATE OR REPLACE FUNCTION public.day_since_1970(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select floor(extract(epoch from at) / 86400)::integer
$function$;

CREATE OR REPLACE FUNCTION public.event_counter_begins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (new.merchant_id, 0, new.last_sequence / 1000000 * 1000000);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.event_counter_leap()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  millions bigint;
begin
  -- A statement that began before the newest incarnation was recorded names an older one.
  new.incarnation := greatest(new.incarnation, old.incarnation);
  millions := greatest(
    event_number_million(new.incarnation, new.timeline) - event_number_million(old.incarnation, old.timeline),
    (new.timeline <> old.timeline)::integer);
  if millions = 0 then
    return new;
  end if;
  new.last_sequence := new.last_sequence + 1000000 * millions;
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (old.merchant_id, old.last_sequence, old.last_sequence + 1000000 * millions);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.event_number_million(incarnation_number bigint, current_timeline bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select 2 * incarnation_number + coalesce((
    select timeline <> current_timeline from incarnation where number = incarnation_number), false)::integer
$function$;

CREATE OR REPLACE FUNCTION public.invoice_scales(created_at timestamp with time zone, amount_usd numeric)
 RETURNS TABLE(scale text, bucket integer)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select scale, bucket from (
    select floor(extract(epoch from created_at) / 86400)::integer as day,
      length(amount_usd::text) * 10000 + rpad(left(amount_usd::text, 4), 4, '0')::integer as four
  ) fine cross join lateral (values
    ('day', day), ('days', floor(day / 32.0)::integer), ('amount', four), ('amounts', four / 100)
  ) scales (scale, bucket)
$function$;

CREATE OR REPLACE FUNCTION public.journal_must_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The asset by a scalar look-up: a join would be planned as a scan of all accounts on tables without statistics.
  perform from (
    select count(*) as lines, sum(line.debit) = sum(line.credit) as balances
    from (
      select debit, credit, (select asset from ledger_account where id = account_id)
      from journal_line where journal_id = new.id
    ) line
    group by line.asset
  ) asset
  having sum(asset.lines) >= 2 and bool_and(asset.balances);
  if not found then
    raise exception 'journal % does not balance', new.id using errcode = 'check_violation';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.journal_must_be_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from (select distinct journal_id from added) line
    join journal on journal.id = line.journal_id
    where journal.xmin::text <> pg_current_xact_id_if_assigned()::xid::text
  ) then
    raise exception 'lines cannot be added to a posted journal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_approval_times()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.approved_at is distinct from old.approved_at
    and (new.approved_at is null or new.approved_at < greatest(old.approved_at, coffer_now() - interval '1 minute')) then
    raise exception 'the approval of withdrawal % cannot be moved into the past', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.released_at is distinct from old.released_at and old.stage is distinct from 'queued' then
    raise exception 'withdrawal % is not queued any more: it cannot be released', old.id using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_invoice_text()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into invoice_text (invoice_id, merchant_id, search_text)
  values (new.id, new.merchant_id, new.search_text)
  on conflict (invoice_id) do update set search_text = excluded.search_text;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.sum_payments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.unsealed_must_be_sealed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from removed where not exists (select from journal_seal where journal_seal.journal_id = removed.journal_id)) then
    raise exception 'a journal is taken off the list of journal_unsealed without a seal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;
