-- The least that may be collected or withdrawn, where an operator set it; a null merchant or method stands for all.
create table limit_override (
  id uuid primary key,
  merchant_id uuid references merchant,
  payment_method_id integer,
  type text not null check (type in ('collect', 'withdraw')),
  -- 10^-8 USD for all methods, the asset's smallest unit for one.
  minimum_usd numeric(20, 0) check (minimum_usd >= 0),
  minimum_minor numeric(78, 0) check (minimum_minor >= 0),
  constraint limit_override_unique unique nulls not distinct (merchant_id, payment_method_id, type),
  check ((payment_method_id is null) = (minimum_usd is not null)),
  check ((payment_method_id is null) = (minimum_minor is null))
);
