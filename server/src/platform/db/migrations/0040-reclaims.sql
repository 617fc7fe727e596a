-- What a payout that was displaced was to spend comes back to the hot wallet by a payout of its own.
alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check check (kind in (
  'withdrawal', 'sweep', 'top_up', 'forward', 'rebalance', 'take_out', 'deploy', 'lift', 'reclaim', 'consolidate'));

-- Whose a coin is, and which were given away: looked up in every round.
create index payout_input_outpoint on payout_input (network, outpoint);
create index payout_input_released on payout_input (network, outpoint) where is_released;
