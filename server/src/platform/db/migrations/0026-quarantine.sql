-- What screening said of a deposit's sender, and what became of the money where it did not pass.
alter table transaction
  -- Null where nobody was screened.
  add column aml_verdict text check (aml_verdict in ('passed', 'listed', 'unknown')),
  -- Null where the money never was in quarantine in this inclusion.
  add column quarantine text check (quarantine in ('held', 'released', 'seized')),
  add constraint transaction_quarantine_confirmed
    check (quarantine is null or (state = 'confirmed' and merchant_id is not null)),
  add constraint transaction_quarantine_uncredited
    check (quarantine not in ('held', 'seized') or (net_minor is null and not below_minimum));

create index transaction_unscreened on transaction (id)
  where aml_verdict = 'unknown' and block_height is not null and quarantine is distinct from 'seized';
-- Addresses on which such money lies are not swept.
create index transaction_suspect on transaction (address_id)
  where aml_verdict <> 'passed' and quarantine is distinct from 'released';
create index transaction_quarantined on transaction (confirmed_at, id) where quarantine = 'held';
