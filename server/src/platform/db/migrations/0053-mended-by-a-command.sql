-- An order that the signer refused stays planned until it is planned anew; its merchant's budget may keep it back meanwhile.
alter table withdrawal drop constraint withdrawal_waits_while_queued;
alter table withdrawal add constraint withdrawal_waits_while_queued check (
  waits_for is null
  or (waits_for <> 'gas-budget' and stage = 'queued')
  or (waits_for = 'gas-budget' and stage in ('approved', 'planned')
    and gas_budget_cost_minor is not null and gas_budget_retry_at is not null)
) not valid;
alter table withdrawal validate constraint withdrawal_waits_while_queued;

-- The same seal may be stored as countersigned more than once: a made-up row must not take the place of the signer's own.
alter table seal_countersignature drop constraint seal_countersignature_pkey;
alter table seal_countersignature add primary key (incarnation_id, sequence, signature);

-- As macKeyId names keys. A row that somebody made up before is left for "coffer books-key forget".
alter table books_key add constraint books_key_id_check check (id ~ '^[0-9a-f]{8}$') not valid;
