-- What an operator orders from the hot wallets to the cold address. Until it has ended, its amount is spoken for.
create table take_out (
  id uuid primary key,
  network text not null,
  asset text not null,
  payment_method_id integer not null,
  -- The account of the books it comes from.
  source text not null check (source in ('capital', 'fees', 'forfeited')),
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  state text not null default 'pending' check (state in ('pending', 'completed', 'failed')),
  tx_hash text,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((state = 'pending') = (ended_at is null)),
  check (state <> 'completed' or tx_hash is not null)
);
create index take_out_pending on take_out (network, created_at, id) where state = 'pending';
create index take_out_created on take_out (created_at, id);

-- What the hot lanes held when they were last looked at, for figures that must not wait for a node.
create table lane_balance (
  network text not null,
  address text not null,
  asset text not null,
  amount_minor numeric(78, 0) not null check (amount_minor >= 0),
  -- Of the block at which the node was asked.
  height bigint not null,
  taken_at timestamptz(3) not null default now(),
  primary key (network, address, asset)
);
