-- Events to tell, written with the state they tell of, and their deliveries to merchants.

-- Hands out each merchant's gapless event numbers; its row lock is the order of events.
create table event_counter (
  merchant_id uuid primary key references merchant,
  last_sequence bigint not null default 0
);

create table event (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  sequence bigint not null check (sequence > 0),
  type text not null,
  -- type:subject, once: a replayed write finds it taken.
  subject text not null constraint event_subject_unique unique,
  -- The exact bytes that are signed and sent, for ever the same.
  body text not null,
  created_at timestamptz(3) not null default now(),
  constraint event_sequence_unique unique (merchant_id, sequence)
);

create table delivery (
  id uuid primary key,
  event_id uuid not null references event,
  merchant_id uuid not null references merchant,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'exhausted', 'cancelled')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  -- A dispatcher has it until then; after that another may take it.
  claimed_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((state = 'pending') = (ended_at is null))
);
-- What a dispatcher looks for: whose turn it is and what is due, and how many of each merchant's are under way.
create index delivery_backlog on delivery (merchant_id, next_attempt_at) where state = 'pending';
create index delivery_claimed on delivery (merchant_id) where state = 'pending' and claimed_until is not null;
create index delivery_merchant on delivery (merchant_id, created_at);
create index delivery_event on delivery (event_id);

create table delivery_attempt (
  delivery_id uuid not null references delivery,
  number integer not null check (number > 0),
  started_at timestamptz(3) not null,
  took_ms integer not null,
  -- The HTTP status, or null with what went wrong.
  status integer,
  error text,
  response_excerpt text,
  primary key (delivery_id, number)
);
