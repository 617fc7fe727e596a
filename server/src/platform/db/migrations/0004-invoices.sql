-- What merchants ask for, at what price, and where it is paid.

create table invoice (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  type text not null check (type in ('onetime', 'reusable', 'collect', 'withdraw')),
  state text not null default 'pending' check (state in ('pending', 'paid', 'expired')),
  -- underpaid, overpaid, late: facts beside the state.
  exceptions text[] not null default '{}',
  -- As the merchant sent it, and in 10^-8 USD.
  amount text not null,
  amount_usd numeric(20, 0) not null check (amount_usd > 0),
  payment_method_id integer not null,
  -- All methods the payer may choose, the first one included.
  payment_method_ids integer[] not null,
  description text,
  reference text,
  aml_ok boolean not null default true,
  collect_state text check (collect_state in ('collecting', 'sweeping', 'completed')),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  paid_at timestamptz(3),
  -- How often it has become paid: 2 and more only after a reorganisation took a payment back.
  paid_periods integer not null default 0,
  archived_at timestamptz(3),
  deleted_at timestamptz(3),
  constraint invoice_reference_unique unique (merchant_id, reference),
  check ((state = 'paid') = (paid_at is not null))
);
create index invoice_merchant_created on invoice (merchant_id, created_at, id);
create index invoice_expiring on invoice (expires_at) where state = 'pending';

alter table address add constraint address_invoice_fkey foreign key (invoice_id) references invoice;

-- The median price of an asset in a minute, with what it was made of.
create table rate (
  symbol text not null,
  minute timestamptz(0) not null,
  -- 10^-12 USD per whole unit.
  price numeric(40, 0) not null check (price > 0),
  sources jsonb not null,
  taken_at timestamptz(3) not null,
  primary key (symbol, minute)
);

-- A price promised to a payer until it expires.
create table quote (
  id uuid primary key,
  invoice_id uuid not null references invoice,
  payment_method_id integer not null,
  price numeric(40, 0) not null check (price > 0),
  price_taken_at timestamptz(3) not null,
  sources jsonb not null,
  -- The whole invoice at this price, rounded up, in the asset's smallest unit.
  full_minor numeric(78, 0) not null check (full_minor > 0),
  quoted_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null check (expires_at >= quoted_at)
);
create index quote_invoice on quote (invoice_id, payment_method_id, quoted_at);

-- What an operator set apart from the defaults; a null merchant or method stands for all.
create table fee_schedule (
  id uuid primary key,
  merchant_id uuid references merchant,
  payment_method_id integer,
  type text not null check (type in ('onetime', 'reusable', 'collect', 'withdrawal')),
  percent_basis_points integer not null check (percent_basis_points between 0 and 10000),
  flat_minor numeric(78, 0),
  flat_usd numeric(20, 0),
  constraint fee_schedule_unique unique nulls not distinct (merchant_id, payment_method_id, type),
  check ((flat_minor is null) <> (flat_usd is null)),
  check (flat_minor is null or payment_method_id is not null)
);
