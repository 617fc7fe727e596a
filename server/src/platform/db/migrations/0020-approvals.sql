-- How an order becomes one that is paid: covered, screened, approved.
alter table withdrawal
  -- What a queued one waits for, as far as it was looked at.
  add column waits_for text check (waits_for in ('debt', 'funds', 'screening', 'rate', 'operator')),
  -- When an operator let it go out, whatever it is worth.
  add column released_at timestamptz(3),
  -- Why it ended; null while it is open.
  add column end_reason text
    check (end_reason in ('merchant', 'payout', 'shortfall', 'operator', 'screening')),
  -- In words, for its merchant.
  add column end_explanation text,
  -- When it was found to be signed after it had ended here: its money was held a second time then.
  add column retaken_at timestamptz(3),
  add constraint withdrawal_waits_while_queued check (waits_for is null or stage = 'queued');

-- Orders to be looked at, and those to be sent, the oldest of an asset first.
create index withdrawal_queue on withdrawal (asset, created_at, id) where stage = 'queued';
create index withdrawal_to_send on withdrawal (asset, created_at, id) where stage = 'approved';
create index withdrawal_for_operator on withdrawal (created_at, id) where waits_for in ('rate', 'operator');
-- Who was paid before, by what people compare of an address.
create index withdrawal_lookalike on withdrawal (merchant_id, left(address, 6), right(address, 4));
