-- What is believed of a chain before money leaves because of it: transfers that were to happen, deposits that are spendable.

-- Money of one asset stays where it is until an operator says otherwise; other assets go on.
create table asset_halt (
  asset text primary key,
  -- false-deposit, insolvent or payout-without-transfer.
  cause text not null,
  detail text not null,
  since timestamptz(3) not null default now()
);

-- Payouts in final blocks, mined with success, that did not move what they were to move. The hold stays until an operator decides.
create table payout_without_transfer (
  payout_id uuid not null references payout,
  block_hash text not null,
  tx_hash text not null,
  detail text not null,
  found_at timestamptz(3) not null default now(),
  -- Null until it is decided: paid completes what was ordered, unpaid fails it.
  outcome text check (outcome in ('paid', 'unpaid')),
  reason text,
  decided_at timestamptz(3),
  primary key (payout_id, block_hash),
  check ((outcome is null) = (decided_at is null)),
  check ((outcome is null) = (reason is null))
);
create index payout_without_transfer_open on payout_without_transfer (found_at) where outcome is null;

-- The inclusion whose transfer payouts read again from their own nodes in a final block, and whose money lay on its address.
alter table transaction add column proven_inclusion integer;
create index transaction_unproven on transaction (network, block_height, block_place)
  where state = 'confirmed' and proven_inclusion is distinct from inclusion;

-- Why deposits are not proven, and when that is tried again.
create table deposit_doubt (
  transaction_id uuid primary key references transaction,
  inclusion integer not null,
  -- false: the chain contradicts it. unread: the nodes could not be asked about it.
  kind text not null check (kind in ('false', 'unread')),
  detail text not null,
  since timestamptz(3) not null default now(),
  retry_at timestamptz(3) not null
);

-- implausible: more than the token's supply, or than anybody has; it stays in quarantine until an operator decides.
alter table transaction drop constraint transaction_aml_verdict_check;
alter table transaction add constraint transaction_aml_verdict_check
  check (aml_verdict in ('passed', 'listed', 'unknown', 'implausible'));

-- One transfer may be of 2^256 - 1, which nine times overflows 78 places. Sums have room for 10^20 of them.
alter table ledger_account
  alter column debits type numeric(98, 0),
  alter column credits type numeric(98, 0);
