-- A withdrawal that can fail on chain is charged what the failure cost, at prices that were kept when it was planned; and one
-- whose merchant has cost the network's fees too much in a day waits, though it is approved.
alter table withdrawal
  -- In 10^-12 USD per whole unit, of the network's coin and of the token that is paid.
  add column failure_coin_price_usd numeric(38, 0) check (failure_coin_price_usd > 0),
  add column failure_asset_price_usd numeric(38, 0) check (failure_asset_price_usd > 0),
  -- What a failure on chain took from the held amount.
  add column network_cost_minor numeric(78, 0) check (network_cost_minor > 0),
  -- The most that it would have cost in the network's coin when it was last kept back, and when it is weighed anew.
  add column gas_budget_cost_minor numeric(78, 0) check (gas_budget_cost_minor >= 0),
  add column gas_budget_retry_at timestamp(3) with time zone,
  add constraint withdrawal_failure_prices check ((failure_coin_price_usd is null) = (failure_asset_price_usd is null)),
  drop constraint withdrawal_waits_for_check,
  add constraint withdrawal_waits_for_check check (
    waits_for in ('debt', 'funds', 'screening', 'rate', 'operator', 'gas-budget')),
  drop constraint withdrawal_waits_while_queued,
  add constraint withdrawal_waits_while_queued check (
    waits_for is null
    or waits_for <> 'gas-budget' and stage = 'queued'
    or waits_for = 'gas-budget' and stage = 'approved' and gas_budget_cost_minor is not null
      and gas_budget_retry_at is not null);

-- What a merchant's payouts cost within a day, and whose orders wait for it.
create index withdrawal_ended on withdrawal (merchant_id, ended_at) where ended_at is not null;
create index withdrawal_gas_budget on withdrawal (asset, created_at, id) where waits_for = 'gas-budget';

-- The lines of an account from a moment on: journals have ids in the order of time.
drop index journal_line_account;
create index journal_line_account on journal_line (account_id, journal_id);

-- Per unit of gas: a payment that can fail never offers more than its held amount covers.
alter table payout add column fee_limit_minor numeric(78, 0) check (fee_limit_minor > 0);
