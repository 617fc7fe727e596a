-- The timeline of the write-ahead log. It rises with each promotion and each recovery to a point in time, and is known at
-- once, also before the first checkpoint after a promotion.
create function current_wal_timeline() returns bigint language sql volatile as $$
  select ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint
$$;

-- A stretch of the database's history without a break. Another one begins when the database was put back, when another
-- server took over, or when something that was committed is gone. `database_incarnation` names what the operator opened on
-- the signer's host; this table says what the processes noticed.
create table incarnation (
  number bigint primary key check (number > 0),
  -- first: the first one. restore: "coffer restore". planned: another server took over while no process worked, so nothing
  -- is missing. promotion: another server took over, and nobody knows what is missing. loss: something committed is gone.
  cause text not null check (cause in ('first', 'restore', 'planned', 'promotion', 'loss')),
  system_identifier text not null,
  timeline bigint not null,
  began_at timestamptz(3) not null default now(),
  -- The newest time up to which history is known to have been committed before.
  last_seen_at timestamptz(3)
);

-- What each process saw committed and does not find any more.
create table lost_beat (
  incarnation bigint not null references incarnation,
  process_id uuid not null,
  role text not null,
  -- The number that the process saw committed, and the one that is left; null where its row is gone.
  beat bigint not null,
  surviving_beat bigint,
  last_seen_at timestamptz(3) not null,
  noticed_at timestamptz(3) not null default now(),
  primary key (incarnation, process_id)
);

-- Each process raises its number every few seconds and remembers the last one that was committed. A lower number here
-- shows that history was lost. Rows end a week after their last beat.
create table process_heartbeat (
  process_id uuid primary key,
  role text not null,
  incarnation bigint not null,
  beat bigint not null check (beat > 0),
  beat_at timestamptz(3) not null default now(),
  -- Set by the last beat of a process that stopped in order: it writes nothing after it.
  ended_at timestamptz(3)
);

-- Numbers of events that were given out and lost must not be given to other events. On another timeline, or in another
-- incarnation, each merchant's numbers go on a million higher. The comparison is part of the statement that takes a
-- number, so it does not depend on anybody having noticed.
alter table event_counter
  add column timeline bigint not null default current_wal_timeline(),
  add column incarnation bigint not null default 1;

create table event_gap (
  merchant_id uuid not null references merchant,
  -- The last event before the gap, and the number after which the next one follows.
  after_sequence bigint not null,
  resumes_after bigint not null check (resumes_after = after_sequence + 1000000),
  made_at timestamptz(3) not null default now(),
  primary key (merchant_id, after_sequence)
);

create function event_counter_leap() returns trigger language plpgsql as $$
begin
  new.last_sequence := new.last_sequence + 1000000;
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (old.merchant_id, old.last_sequence, old.last_sequence + 1000000);
  return new;
end
$$;

create trigger event_counter_leaps before update on event_counter
  for each row when (new.timeline <> old.timeline or new.incarnation <> old.incarnation)
  execute function event_counter_leap();

create trigger incarnation_append_only before update or delete on incarnation
  for each row execute function refuse_change();
create trigger incarnation_no_truncate before truncate on incarnation
  for each statement execute function refuse_change();
create trigger lost_beat_append_only before update or delete on lost_beat
  for each row execute function refuse_change();
create trigger lost_beat_no_truncate before truncate on lost_beat
  for each statement execute function refuse_change();
create trigger event_gap_append_only before update or delete on event_gap
  for each row execute function refuse_change();
create trigger event_gap_no_truncate before truncate on event_gap
  for each statement execute function refuse_change();
