-- On chains without witnesses nothing but the whole transaction that made a coin shows what it holds: the signer asks for it.
-- What is named by its hash never changes, so it is kept whatever becomes of its block.
create table coin_maker (
  network text not null,
  tx_hash text not null,
  -- As its hash is made of it: without witnesses.
  raw bytea not null,
  primary key (network, tx_hash)
);
