-- Money that merchants order to be sent away. From the order to its end a hold of the whole amount lies in the books.
create table withdrawal (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  payment_method_id integer not null,
  asset text not null,
  -- In canonical spelling.
  address text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- In whole units, for ordering amounts of different assets.
  amount numeric not null,
  -- Of the amount; the recipient gets the rest.
  fee_minor numeric(78, 0) not null check (fee_minor >= 0 and fee_minor < amount_minor),
  state text not null default 'pending' check (state in ('pending', 'completed', 'failed', 'cancelled')),
  stage text default 'queued'
    check (stage in ('queued', 'approved', 'planned', 'signed', 'broadcast', 'in_doubt')),
  tx_hash text,
  -- The withdraw invoice whose claim this pays.
  invoice_id uuid references invoice,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((state = 'pending') = (stage is not null)),
  check ((state = 'pending') = (ended_at is null)),
  check (state <> 'completed' or tx_hash is not null)
);
create index withdrawal_merchant_created on withdrawal (merchant_id, created_at, id);
create index withdrawal_open on withdrawal (merchant_id, asset, created_at, id) where state = 'pending';
-- A claim is paid once: another is open only after the one before it failed or was cancelled.
create unique index withdrawal_claim_unique on withdrawal (invoice_id)
  where invoice_id is not null and state in ('pending', 'completed');
