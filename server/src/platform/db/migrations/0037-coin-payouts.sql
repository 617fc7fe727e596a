-- Payouts that spend coins. A payout's wallet is its anchor, a coin that all its attempts spend, and its nonce is 0; its
-- wallet_place is where change goes. In fees, gas is virtual bytes, max_fee_minor the price of each rounded up, and
-- tip_minor the whole fee.
alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check check (kind in (
  'withdrawal', 'sweep', 'top_up', 'forward', 'rebalance', 'take_out', 'deploy', 'lift', 'consolidate'));

-- The coins that a payout spends, from its plan on; a plan that is taken back gives them back.
create table payout_input (
  payout_id uuid not null references payout on delete cascade,
  -- 0 is the anchor.
  place smallint not null check (place >= 0),
  network text not null,
  -- <txid>:<vout>
  outpoint text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- {"type":"deposit","branch":1,"index":2} or {"type":"hot","branch":1,"index":2}
  coin_place jsonb not null,
  -- The payout was displaced: whatever of its coins is still there may be spent by another.
  is_released boolean not null default false,
  primary key (payout_id, place)
);
-- No two payouts spend one coin.
create unique index payout_input_coin on payout_input (network, outpoint) where not is_released;

create index coin_spender on coin (network, spent_by) where spent_by is not null;
