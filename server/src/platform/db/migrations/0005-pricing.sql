-- What things cost: rates, fees and limits.

create table dev_token (
  network text not null,
  symbol text not null,
  contract text not null,
  constraint dev_token_pkey primary key (network, symbol)
);
comment on table dev_token is
  'A test token that the sandbox deployed on its development chain.';
comment on column dev_token.contract is
  'The address of the token contract.';

create table fee_schedule (
  id uuid not null,
  merchant_id uuid,
  payment_method_id integer,
  type text not null,
  percent_basis_points integer not null,
  flat_minor numeric(78, 0),
  flat_usd numeric(20, 0),
  constraint fee_schedule_pkey primary key (id),
  constraint fee_schedule_unique unique nulls not distinct (merchant_id, payment_method_id, type),
  constraint fee_schedule_merchant_id_fkey foreign key (merchant_id) references merchant(id),
  constraint fee_schedule_check check ((flat_minor is null) <> (flat_usd is null)),
  constraint fee_schedule_check1 check ((flat_minor is null) or (payment_method_id is not null)),
  constraint fee_schedule_flat_sign check (COALESCE(flat_minor, flat_usd) >= 0),
  constraint fee_schedule_percent_basis_points_check check ((percent_basis_points >= 0) and (percent_basis_points <= 10000)),
  constraint fee_schedule_type_check check (type in ('onetime', 'reusable', 'collect', 'withdrawal')),
  constraint fee_schedule_withdrawal_flat check ((type <> 'withdrawal') or (flat_usd is null) or (flat_usd = 0))
);
comment on table fee_schedule is
  'A fee that an operator set instead of the default. The most specific row applies: merchant and payment method, then merchant, then payment method, then all.';
comment on column fee_schedule.merchant_id is
  'Null if the row applies to all merchants.';
comment on column fee_schedule.payment_method_id is
  'Null if the row applies to all payment methods.';
comment on column fee_schedule.type is
  'The type of invoice for whose deposits the fee is charged, or `withdrawal`.';
comment on column fee_schedule.percent_basis_points is
  'In hundredths of a percent.';
comment on column fee_schedule.flat_minor is
  'The fixed part in the asset''s smallest unit; null if it is given in USD.';
comment on column fee_schedule.flat_usd is
  'The fixed part in 10^-8 USD; null if it is given in the asset. Withdrawals have no fixed part in USD other than 0.';

create table limit_override (
  id uuid not null,
  merchant_id uuid,
  payment_method_id integer,
  type text not null,
  minimum_usd numeric(20, 0),
  minimum_minor numeric(78, 0),
  constraint limit_override_pkey primary key (id),
  constraint limit_override_unique unique nulls not distinct (merchant_id, payment_method_id, type),
  constraint limit_override_merchant_id_fkey foreign key (merchant_id) references merchant(id),
  constraint limit_override_check check ((payment_method_id is null) = (minimum_usd is not null)),
  constraint limit_override_check1 check ((payment_method_id is null) = (minimum_minor is null)),
  constraint limit_override_minimum_minor_check check (minimum_minor >= 0),
  constraint limit_override_minimum_usd_check check (minimum_usd >= 0),
  constraint limit_override_type_check check (type in ('collect', 'withdraw'))
);
comment on table limit_override is
  'The smallest amount that may be collected or withdrawn, where an operator set it instead of the default.';
comment on column limit_override.merchant_id is
  'Null if the row applies to all merchants.';
comment on column limit_override.payment_method_id is
  'Null if the row applies to all payment methods; the minimum is in USD then.';
comment on column limit_override.minimum_usd is
  'In 10^-8 USD; null if the row is for one payment method.';
comment on column limit_override.minimum_minor is
  'In the asset''s smallest unit; null if the row is for all payment methods.';

create table rate (
  symbol text not null,
  minute timestamptz(0) not null,
  price numeric(40, 0) not null,
  sources jsonb not null,
  taken_at timestamptz(3) not null,
  constraint rate_pkey primary key (symbol, minute),
  constraint rate_price_check check (price > 0)
);
comment on table rate is
  'The median price of an asset in one minute. A later price of the same minute replaces it, and old rates are deleted.';
comment on column rate.minute is
  'The start of the minute in UTC.';
comment on column rate.price is
  'In 10^-12 USD per whole unit.';
comment on column rate.sources is
  'The readings of which it is the median, in the form of quote.sources.';
