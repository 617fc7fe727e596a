-- Payments seen on chain, one row per transfer to an assigned address, whatever becomes of it.

create table transaction (
  id uuid primary key,
  network text not null,
  -- The transfer's place within its own transaction; the same when that transaction is mined again elsewhere.
  transfer_key text not null,
  tx_hash text not null,
  asset text not null,
  payment_method_id integer not null,
  address_id bigint not null references address,
  -- Null where the address was never assigned: the money is kept as unattributed.
  merchant_id uuid references merchant,
  invoice_id uuid references invoice,
  sender text,
  recipient text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- In whole units, to sort by over assets of different decimals.
  amount numeric not null,
  state text not null default 'pending' check (state in ('pending', 'confirmed', 'failed')),
  -- How often it has entered a canonical block; journals and events carry it in their keys.
  inclusion integer not null check (inclusion > 0),
  -- Where it is now; null while no canonical block holds it.
  block_height bigint,
  block_hash text,
  -- Its place among the block's deposits: the order in which payments count.
  block_place integer,
  included_at timestamptz(3),
  -- Decides whether the payment was in time; a reorganisation never makes it later.
  in_time_at timestamptz(3) not null,
  -- The full invoice amount in this asset at the price the payment is valued at; null where it counts for nothing.
  full_minor numeric(78, 0),
  price numeric(40, 0),
  -- The fee agreed when it was first seen, and what was taken when it was credited.
  fee_percent_basis_points integer not null,
  fee_flat_minor numeric(78, 0) not null,
  fee_minor numeric(78, 0),
  net_minor numeric(78, 0),
  below_minimum boolean not null default false,
  created_at timestamptz(3) not null default now(),
  confirmed_at timestamptz(3),
  constraint transaction_transfer_unique unique (network, transfer_key),
  check ((merchant_id is null) = (invoice_id is null)),
  check ((block_height is null) = (block_hash is null)),
  check ((block_height is null) = (included_at is null)),
  check ((state = 'confirmed') = (confirmed_at is not null)),
  check (state <> 'confirmed' or block_height is not null)
);
create index transaction_merchant_created on transaction (merchant_id, created_at, id);
create index transaction_invoice on transaction (invoice_id);
create index transaction_block on transaction (network, block_height);
create index transaction_unconfirmed on transaction (network, block_height)
  where state = 'pending' and block_height is not null;
create index transaction_hash on transaction (network, tx_hash);
