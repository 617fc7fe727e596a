-- Payments that wait for a block, what they spend, and networks whose deposits are not credited for a while.

alter table transaction
  drop constraint transaction_inclusion_check,
  add constraint transaction_inclusion_check check (inclusion >= 0 and (inclusion > 0 or block_height is null)),
  -- When a mempool was first seen to hold it; null where none was.
  add column first_seen_at timestamptz(3),
  -- Since when neither a block nor a mempool that is watched holds it.
  add column unseen_since timestamptz(3),
  -- The hash of a transaction that spends the same; where that is in a block, also the block's height.
  add column replaced_by text,
  add column replaced_height bigint,
  -- How often it failed; events carry it in their keys.
  add column failures integer not null default 0,
  -- Blocks, its own counted, before which the chain lets nobody spend it.
  add column matures_after integer not null default 1 check (matures_after > 0),
  add constraint transaction_seen check (inclusion > 0 or first_seen_at is not null),
  add constraint transaction_replaced_known check (replaced_height is null or replaced_by is not null),
  add constraint transaction_included_stands
    check (block_height is null or num_nonnulls(unseen_since, replaced_by) = 0);

-- Of what left its block before this was written down, the moment is not known: no earlier than this.
update transaction set unseen_since = created_at where block_height is null;

create index transaction_waiting on transaction (network)
  where block_height is null and unseen_since is null and state = 'pending';
create index transaction_replaced on transaction (network, replaced_height) where replaced_height is not null;

-- What a payment lives by: if anybody but `spender_hash` spends one of these, it is never mined. Its own outpoints, and
-- those of what it builds on and waited with it.
create table transaction_spend (
  network text not null,
  outpoint text not null,
  spender_hash text not null,
  -- Of the payment, whose rows it may have several of.
  tx_hash text not null,
  primary key (network, outpoint, tx_hash)
);
create index transaction_spend_payment on transaction_spend (network, tx_hash);

-- After a deep reorganisation: deposits are seen and counted, and nothing is credited.
create table deposit_pause (
  network text primary key,
  -- How many blocks were taken back.
  depth bigint not null check (depth > 0),
  paused_at timestamptz(3) not null default now(),
  -- The height at which crediting goes on by itself.
  until_height bigint not null
);
