-- Leases, canonical blocks and the addresses customers pay to.

-- A right that one process holds for a while, on database time. Each take-over raises the epoch, and every write
-- made under a lease compares it, so that a paused holder cannot commit late.
create table lease (
  name text primary key,
  holder_id uuid not null,
  epoch bigint not null check (epoch > 0),
  expires_at timestamptz not null
);

-- Changes only when a backup is restored: what was handed out before must not be handed out again.
create table database_incarnation (
  only_row boolean primary key default true check (only_row),
  id uuid not null
);
insert into database_incarnation (id) values (gen_random_uuid());

create table block (
  network text not null,
  height bigint not null check (height >= 0),
  hash text not null,
  parent_hash text not null,
  mined_at timestamptz(3) not null,
  primary key (network, height),
  constraint block_hash_unique unique (network, hash)
);

-- The last canonical block whose effects are booked. Written in the same transaction as those effects.
create table chain_cursor (
  network text primary key,
  height bigint not null,
  hash text not null,
  final_height bigint not null default -1,
  -- The first block ever read; from here on heights are contiguous.
  first_height bigint not null,
  -- What a reader last saw of the node, for health and expiry; the database's clock.
  head_height bigint not null,
  seen_at timestamptz not null default now()
);

-- What stops a chain from being followed at the moment; no row when nothing does. A table of its own: a chain can fail
-- before its first block, when it has no cursor.
create table chain_failure (
  network text primary key,
  -- The block that cannot be booked; null before the first.
  height bigint,
  message text not null,
  failing_since timestamptz not null default now()
);

-- The test tokens that the sandbox put on its dev chain.
create table dev_token (
  network text not null,
  symbol text not null,
  contract text not null,
  primary key (network, symbol)
);

-- A derivation branch is opened anew by each allocator on each start of allocator or database, and never again.
create table address_branch (
  family text not null,
  branch bigint not null check (branch >= 0 and branch < 2147483648),
  xpub_fingerprint text not null,
  incarnation_id uuid not null,
  server_started_at timestamptz not null,
  opened_at timestamptz not null default now(),
  -- The next index to derive.
  next_index bigint not null default 0,
  primary key (family, branch)
);

-- Every address ever derived, for ever: assigned ones are watched even when invoice and merchant are gone.
create table address (
  id bigint generated always as identity primary key,
  family text not null,
  address text not null,
  branch bigint not null,
  index bigint not null check (index >= 0),
  -- HMAC over family, address, branch and index: an address put here by anyone else is never shown.
  mac bytea not null,
  network text,
  merchant_id uuid references merchant,
  invoice_id uuid,
  payment_method_id integer,
  assigned_at timestamptz(3),
  constraint address_unique unique (family, address),
  constraint address_place_unique unique (family, branch, index),
  constraint address_invoice_method_unique unique (invoice_id, payment_method_id),
  foreign key (family, branch) references address_branch (family, branch),
  check ((assigned_at is null) = (invoice_id is null)),
  check ((assigned_at is null) = (merchant_id is null)),
  check ((assigned_at is null) = (payment_method_id is null))
);
create index address_free on address (family, branch, index) where assigned_at is null;
