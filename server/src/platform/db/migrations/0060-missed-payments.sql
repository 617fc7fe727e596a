-- Money at addresses of ours that the books do not tell of, and how far the search for it has come.

-- What lay on an address beyond the books, by the block in which it came as far as that is known. It is booked by
-- "coffer recover --missed" alone.
create table missed_payment (
  id bigint primary key generated always as identity,
  network text not null,
  address text not null,
  asset text not null,
  height bigint not null,
  -- False where no node could tell the block: then it is the one at which it was found.
  is_located boolean not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- Where a transfer was found.
  tx_hash text,
  found_by text not null check (found_by in ('balance', 'output', 'block')),
  -- booked: by the command. unexplained: no transfer that a node tells of brought it. gone: the books came to tell of it.
  state text not null default 'open' check (state in ('open', 'booked', 'unexplained', 'gone')),
  found_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  unique (network, address, asset, height),
  check ((state in ('booked', 'gone')) = (ended_at is not null))
);
create index missed_payment_open on missed_payment (network) where state in ('open', 'unexplained');

-- Of each network: where the next look at addresses begins, and since when each of them has been looked at.
create table missed_payment_search (
  network text primary key,
  -- All blocks up to here were compared at addresses that moved in them.
  compared_height bigint not null default -1,
  -- The last address of the turn through all of them.
  address_id bigint not null default 0,
  turn_began_at timestamptz(3) not null default now(),
  turn_addresses bigint not null default 0,
  turn_total bigint not null default 0,
  -- Since when each address has been compared; before the first turn ends, since when any was.
  covered_since timestamptz(3) not null default now(),
  -- How far apart the last two looks were, and how many addresses of the turn one takes.
  look_seconds double precision not null default 60,
  look_addresses bigint not null default 0,
  looked_at timestamptz(3) not null default now(),
  blocks_reread bigint not null default 0,
  -- Of which no node keeps what is needed.
  blocks_unread bigint not null default 0
);
