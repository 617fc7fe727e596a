-- What an amount on a deposit address must at least be to be worth its fee now, as it was last computed. What lies below
-- it covers no order.
create table spend_floor (
  network text not null,
  asset text not null,
  floor_minor numeric(78, 0) not null check (floor_minor >= 0),
  noted_at timestamptz(3) not null default now(),
  primary key (network, asset)
);

alter table withdrawal
  -- When it was last approved: what counts towards the sums above which an operator is asked.
  add column approved_at timestamptz(3),
  -- When its transaction was first planned: whose turn it is among merchants.
  add column planned_at timestamptz(3);

create index withdrawal_approved_of_merchant on withdrawal (merchant_id, approved_at)
  where approved_at is not null and released_at is null;
create index withdrawal_approved_to on withdrawal (address, approved_at)
  where approved_at is not null and released_at is null;
create index withdrawal_planned on withdrawal (merchant_id, asset, planned_at) where planned_at is not null;

-- Whoever signed the transaction that made a transfer, where the chain tells one: a payer through a contract is somebody
-- else than the transfer's sender. Null where there is none, or it was not told.
alter table transaction
  add column origin text,
  -- Which of those who paid is on a sanctions list.
  add column listed_address text;

-- Wrong codes of a second factor, by account: after each the next try has to wait longer.
create table code_pause (
  account_id uuid primary key references account on delete cascade,
  failures integer not null check (failures > 0),
  failed_at timestamptz(3) not null default now()
);
