-- What a database lost when a standby that lagged behind its primary was promoted, and how far it was recovered.

-- The addresses of a family that may have been given away in the time that was lost. No block is read on while one is open.
create table loss_recovery (
  -- The number of the incarnation that began with the loss.
  incarnation bigint not null,
  family text not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  noted_at timestamptz(3) not null default now(),
  -- How many addresses of the lost time are watched that the database did not know; null while they are derived.
  added_count bigint,
  ended_at timestamptz(3),
  primary key (incarnation, family),
  check (since <= until),
  check ((ended_at is null) = (added_count is null))
);
create index loss_recovery_open on loss_recovery (family) where ended_at is null;

-- A process that compares what it remembers with the database.
create table loss_put_back (
  incarnation bigint not null,
  process_id uuid not null,
  -- A process that died on the way beats no more, and nobody waits for it.
  beat_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (incarnation, process_id)
);

-- What some process remembers as committed and the database had no more.
create table lost_record (
  incarnation bigint not null,
  kind text not null,
  id text not null,
  -- Not a reference: the merchant may be lost as well.
  merchant_id uuid,
  committed_at timestamptz(3) not null,
  outcome text not null check (outcome in ('put-back', 'named')),
  -- In words.
  detail text not null,
  noted_at timestamptz(3) not null default now(),
  primary key (incarnation, kind, id)
);
create trigger lost_record_append_only before update or delete on lost_record
  for each row execute function refuse_change();
create trigger lost_record_no_truncate before truncate on lost_record
  for each statement execute function refuse_change();

-- A merchant whose counter was lost with its first events begins behind a gap, so that no number is given to two events.
create function event_counter_begins() returns trigger language plpgsql as $$
begin
  insert into event_gap (merchant_id, after_sequence, resumes_after) values (new.merchant_id, 0, 1000000);
  return null;
end
$$;
create trigger event_counter_begins_behind_gap after insert on event_counter
  for each row when (new.last_sequence > 1000000) execute function event_counter_begins();
