-- Where money lies in outpoints: every output that pays an address of ours, for as long as a canonical block holds it.

-- Our own addresses beside those of customers: where the operator pays in (branch 0), and change (branch 1). Each change
-- address is used once.
create table hot_place (
  network text not null,
  branch smallint not null check (branch in (0, 1)),
  index bigint not null check (index >= 0),
  -- In canonical spelling.
  address text not null,
  made_at timestamptz(3) not null default now(),
  primary key (network, branch, index),
  unique (network, address)
);

create table coin (
  network text not null,
  -- <txid>:<vout>
  outpoint text not null,
  tx_hash text not null,
  address text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- Of the block that made it.
  height bigint not null,
  -- Blocks, its own counted, before which the chain lets nobody spend it.
  matures_after integer not null default 1,
  -- The transaction in a canonical block that spends it, and its block's height.
  spent_by text,
  spent_height bigint,
  -- Since when operators know that none of our transactions spent it.
  missed_at timestamptz(3),
  primary key (network, outpoint),
  check ((spent_by is null) = (spent_height is null))
);
create index coin_unspent on coin (network, height) where spent_by is null;
create index coin_of_transaction on coin (network, tx_hash);
create index coin_spent on coin (network, spent_height) where spent_by is not null;

-- What came in before there was this list.
insert into coin (network, outpoint, tx_hash, address, amount_minor, height, matures_after)
select network, transfer_key, tx_hash, recipient, amount_minor, block_height, matures_after
from transaction
where network in ('bitcoin', 'litecoin', 'dogecoin') and block_height is not null;
