-- A withdrawal never waits for a rate, so its flat fee is in its asset; and no fee is negative.
alter table fee_schedule
  add constraint fee_schedule_withdrawal_flat check (type <> 'withdrawal' or flat_usd is null or flat_usd = 0),
  add constraint fee_schedule_flat_sign check (coalesce(flat_minor, flat_usd) >= 0);
