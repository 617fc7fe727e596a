-- expand
-- All statements of Coffer read the time from these two functions. A simulation that owns its database replaces
-- their bodies, and every start refuses a database in which they are replaced.

create function coffer_now() returns timestamptz
language sql stable parallel safe
return now();
comment on function coffer_now() is 'The time at which the transaction began. Statements of Coffer never call now() themselves.';

create function coffer_clock() returns timestamptz
language sql volatile parallel safe
return clock_timestamp();
comment on function coffer_clock() is 'The time at this moment, for what must not stand still within a transaction: leases and ages that are compared with them.';

do $do$
declare
  defaulted record;
begin
  for defaulted in
    select attrelid::regclass as of_table, attname
    from pg_attrdef
    join pg_attribute on attrelid = adrelid and attnum = adnum
    join pg_class on pg_class.oid = adrelid
    where relnamespace = current_schema()::regnamespace and relname <> 'schema_migration' and pg_get_expr(adbin, adrelid) = 'now()'
    order by 1, 2
  loop
    execute format('alter table %s alter column %I set default coffer_now()', defaulted.of_table, defaulted.attname);
  end loop;
end
$do$;

create or replace function keep_approval_times()
returns trigger
language plpgsql
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
