-- expand
-- Every incarnation that began since a merchant's last event raises the merchant's numbers by 1,000,000. The events
-- of an incarnation that was lost have the numbers below that, so one step alone would use those numbers twice.
-- A change of the timeline counts as well: events may have been written on it before its incarnation was recorded.

create or replace function event_counter_leap()
returns trigger
language plpgsql
AS $function$
declare
  losses bigint := greatest(new.incarnation - old.incarnation, 0) + (new.timeline <> old.timeline)::integer;
begin
  losses := greatest(losses, 1);
  new.last_sequence := new.last_sequence + 1000000 * losses;
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (old.merchant_id, old.last_sequence, old.last_sequence + 1000000 * losses);
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
  'The timeline of the write-ahead log when the last number was given. If the present one differs, a trigger raises the counter by 1,000,000 and records the gap.';
comment on column event_counter.incarnation is
  'The incarnation in which the last number was given. Each later incarnation raises the counter by 1,000,000 in the same way.';
