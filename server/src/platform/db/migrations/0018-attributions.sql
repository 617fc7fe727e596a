-- Money that belongs to no invoice, and whose it is.

-- Null where it came to a hot wallet, which is nobody's address.
alter table transaction alter column address_id drop not null;
alter table transaction add constraint transaction_address_known
  check (address_id is not null or merchant_id is null);

-- An operator's word on whose a transaction's money is; it holds again each time the transaction is confirmed anew.
create table attribution (
  transaction_id uuid primary key references transaction,
  -- Null for the operator's own money.
  merchant_id uuid references merchant,
  -- What the merchant pays for it, as on transaction.
  fee_percent_basis_points integer not null check (fee_percent_basis_points between 0 and 10000),
  fee_flat_minor numeric(78, 0) not null check (fee_flat_minor >= 0),
  made_at timestamptz(3) not null default now(),
  check (merchant_id is not null or (fee_percent_basis_points = 0 and fee_flat_minor = 0))
);

-- Whose transfers to a hot wallet are the operator's own money at once: on a dev chain, what funds the lanes.
create table capital_source (
  network text not null,
  -- In canonical spelling.
  address text not null,
  primary key (network, address)
);
