-- What brings money from deposit addresses to the hot lanes. A sweep is what collections know of one payout of theirs.
create table sweep (
  -- The payout's own.
  id uuid primary key,
  network text not null,
  kind text not null check (kind in ('sweep', 'top_up', 'forward', 'deploy')),
  -- Empty where nothing of a merchant's is moved.
  assets text[] not null,
  -- planned: it has its payout. sent: a node took it. final: it stays, and what it took is still to be read.
  state text not null default 'planned' check (state in ('planned', 'sent', 'final', 'done', 'dropped')),
  tx_hash text,
  block_height bigint,
  block_hash text,
  is_success boolean,
  planned_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((state in ('done', 'dropped')) = (ended_at is not null)),
  check (state <> 'final' or (tx_hash is not null and block_height is not null and block_hash is not null))
);
create index sweep_open on sweep (network, planned_at) where state not in ('done', 'dropped');

-- The addresses a sweep empties, or tops up. While one is open, no other touches them.
create table swept_address (
  sweep_id uuid not null references sweep,
  address_id bigint not null references address,
  primary key (sweep_id, address_id)
);
create index swept_address_address on swept_address (address_id);

-- The sweep that takes a deposit from its address, or took it; null as long as it lies there.
alter table transaction add column sweep_id uuid references sweep;
create index transaction_unswept on transaction (network, asset, address_id)
  include (amount_minor, merchant_id, confirmed_at) 
  where sweep_id is null and state = 'confirmed' and address_id is not null;
create index transaction_sweep on transaction (sweep_id) where sweep_id is not null;

-- One merchant's share of what brings one asset in.
create table collection (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  network text not null,
  asset text not null,
  payment_method_id integer not null,
  -- What takes the money; null while it waits for the coin that pays for it.
  sweep_id uuid references sweep,
  -- Brings that coin.
  funding_id uuid references sweep,
  -- What is to be taken, and once it is completed what was.
  amount_minor numeric(78, 0) not null check (amount_minor >= 0),
  amount numeric not null,
  -- Deposits.
  transactions integer not null,
  state text not null default 'planned'
    check (state in ('planned', 'funding', 'sweeping', 'completed', 'blocked')),
  tx_hash text,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check (sweep_id is not null or funding_id is not null),
  check ((state in ('completed', 'blocked')) = (ended_at is not null)),
  check (state <> 'completed' or tx_hash is not null)
);
create unique index collection_sweep on collection (sweep_id, merchant_id, asset) where sweep_id is not null;
create index collection_funding on collection (funding_id) where funding_id is not null;
create index collection_of_merchant on collection (merchant_id, created_at, id);
create index collection_of_merchant_amount on collection (merchant_id, amount, id);

-- An asset that could not be taken from an address, and when that is tried again: the token is paused, say.
create table sweep_setback (
  address_id bigint not null references address,
  asset text not null,
  tries integer not null check (tries > 0),
  failed_at timestamptz(3) not null default now(),
  -- Null: not before an operator asks.
  retry_at timestamptz(3),
  primary key (address_id, asset)
);

-- What a network asked for being used, once in an hour: by it the present is low or high.
create table fee_level (
  network text not null,
  hour timestamptz(0) not null,
  base_fee_minor numeric(78, 0) not null,
  primary key (network, hour)
);

-- When an operator last asked that everything be collected that is worth it.
create table collection_order (
  network text primary key,
  ordered_at timestamptz(3) not null default now()
);
