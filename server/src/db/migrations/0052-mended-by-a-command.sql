-- An order that the signer refused stays planned until it is planned anew; its merchant's budget may keep it back meanwhile.
alter table withdrawal drop constraint withdrawal_waits_while_queued;
alter table withdrawal add constraint withdrawal_waits_while_queued check (
  waits_for is null
  or (waits_for <> 'gas-budget' and stage = 'queued')
  or (waits_for = 'gas-budget' and stage in ('approved', 'planned')
    and gas_budget_cost_minor is not null and gas_budget_retry_at is not null)
) not valid;
alter table withdrawal validate constraint withdrawal_waits_while_queued;
