-- Sums of owners' sealed journals up to a seal, with a MAC under a key of the books. They save reading history again; one
-- that does not hold is as if it were not there.
create table sealed_balance (
  owner_id uuid primary key references merchant,
  sequence bigint not null check (sequence > 0),
  -- Of the seal with that sequence.
  hash bytea not null,
  -- By asset: [[asset, available, available and held, what is owed to the merchant less what it owes], ...], as decimal numbers.
  sums jsonb not null,
  mac text not null
);
