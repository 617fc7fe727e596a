-- expand
-- The events of an incarnation that was lost keep their numbers, so a later incarnation must begin above all of them.
-- An incarnation can give out numbers from two millions: events may be written on a new timeline before its own
-- incarnation is recorded. Each incarnation therefore begins two millions above the one before.

create function event_number_million(incarnation_number bigint, current_timeline bigint)
returns bigint
language sql
stable
AS $function$
  select 2 * incarnation_number + coalesce((
    select timeline <> current_timeline from incarnation where number = incarnation_number), false)::integer
$function$;

create or replace function event_counter_leap()
returns trigger
language plpgsql
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

create or replace function event_counter_begins()
returns trigger
language plpgsql
AS $function$
begin
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (new.merchant_id, 0, new.last_sequence / 1000000 * 1000000);
  return null;
end
$function$;

alter table event_gap drop constraint event_gap_check;
alter table event_gap add constraint event_gap_check
  check (resumes_after > after_sequence and (resumes_after - after_sequence) % 1000000 = 0);
comment on column event_counter.timeline is
  'The timeline of the write-ahead log when the last number was given. If the present one differs, a trigger raises the counter by at least 1,000,000 and records the gap.';
comment on column event_counter.incarnation is
  'The incarnation in which the last number was given. Each later incarnation raises the counter by 2,000,000, less what a change of the timeline has raised it already.';
