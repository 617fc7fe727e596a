create table dev_token (
  network text not null,
  symbol text not null,
  contract text not null,
  constraint dev_token_pkey PRIMARY KEY (network, symbol)
);
comment on table dev_token is 'A test token that the sandbox deployed on its development chain.';
comment on column dev_token.contract is 'The address of the token contract.';

create table fee_schedule (
  id uuid not null,
  merchant_id uuid,
  payment_method_id integer,
  type text not null,
  percent_basis_points integer not null,
  flat_minor numeric(78,0),
  flat_usd numeric(20,0),
  constraint fee_schedule_pkey PRIMARY KEY (id),
  constraint fee_schedule_unique UNIQUE NULLS NOT DISTINCT (merchant_id, payment_method_id, type),
  constraint fee_schedule_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint fee_schedule_check CHECK (((flat_minor IS NULL) <> (flat_usd IS NULL))),
  constraint fee_schedule_check1 CHECK (((flat_minor IS NULL) OR (payment_method_id IS NOT NULL))),
  constraint fee_schedule_flat_sign CHECK ((COALESCE(flat_minor, flat_usd) >= (0)::numeric)),
  constraint fee_schedule_percent_basis_points_check CHECK (((percent_basis_points >= 0) AND (percent_basis_points <= 10000))),
  constraint fee_schedule_type_check CHECK ((type = ANY (ARRAY['onetime'::text, 'reusable'::text, 'collect'::text, 'withdrawal'::text]))),
  constraint fee_schedule_withdrawal_flat CHECK (((type <> 'withdrawal'::text) OR (flat_usd IS NULL) OR (flat_usd = (0)::numeric)))
);
comment on table fee_schedule is 'A fee that an operator set instead of the default. The most specific row applies: merchant and payment method, then merchant, then payment method, then all.';
comment on column fee_schedule.merchant_id is 'Null if the row applies to all merchants.';
comment on column fee_schedule.payment_method_id is 'Null if the row applies to all payment methods.';
comment on column fee_schedule.type is 'The type of invoice for whose deposits the fee is charged, or `withdrawal`.';
comment on column fee_schedule.percent_basis_points is 'In hundredths of a percent.';
comment on column fee_schedule.flat_minor is 'The fixed part in the asset''s smallest unit; null if it is given in USD.';
comment on column fee_schedule.flat_usd is 'The fixed part in 10^-8 USD; null if it is given in the asset. Withdrawals have no fixed part in USD other than 0.';

create table limit_override (
  id uuid not null,
  merchant_id uuid,
  payment_method_id integer,
  type text not null,
  minimum_usd numeric(20,0),
  minimum_minor numeric(78,0),
  constraint limit_override_pkey PRIMARY KEY (id),
  constraint limit_override_unique UNIQUE NULLS NOT DISTINCT (merchant_id, payment_method_id, type),
  constraint limit_override_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint limit_override_check CHECK (((payment_method_id IS NULL) = (minimum_usd IS NOT NULL))),
  constraint limit_override_check1 CHECK (((payment_method_id IS NULL) = (minimum_minor IS NULL))),
  constraint limit_override_minimum_minor_check CHECK ((minimum_minor >= (0)::numeric)),
  constraint limit_override_minimum_usd_check CHECK ((minimum_usd >= (0)::numeric)),
  constraint limit_override_type_check CHECK ((type = ANY (ARRAY['collect'::text, 'withdraw'::text])))
);
comment on table limit_override is 'The smallest amount that may be collected or withdrawn, where an operator set it instead of the default.';
comment on column limit_override.merchant_id is 'Null if the row applies to all merchants.';
comment on column limit_override.payment_method_id is 'Null if the row applies to all payment methods; the minimum is in USD then.';
comment on column limit_override.minimum_usd is 'In 10^-8 USD; null if the row is for one payment method.';
comment on column limit_override.minimum_minor is 'In the asset''s smallest unit; null if the row is for all payment methods.';

create table own_network_nodes (
  network text not null,
  sealed bytea not null,
  constraint own_network_nodes_pkey PRIMARY KEY (network)
);
comment on table own_network_nodes is 'The nodes of an operator''s own network. Their URLs often contain keys.';
comment on column own_network_nodes.network is 'The name of the network.';
comment on column own_network_nodes.sealed is 'A list of URLs in JSON with a random salt, encrypted under ENCRYPTION_KEY. The signed entry of the network contains the hash of the text.';

create table own_row_entry (
  id bigint not null generated always as identity,
  text text not null,
  signature text not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  constraint own_row_entry_pkey PRIMARY KEY (id)
);
comment on table own_row_entry is 'Signed entries that add the operator''s own networks and tokens, and enable or disable them. Rows are append-only. An entry is used only if the operator signed it and it continues the chain of entries.';
comment on column own_row_entry.text is 'The signed text: JSON with the number of the entry, the hash of the entry before it, the installation, and the change.';
comment on column own_row_entry.signature is 'The Ed25519 signature of the text: the id of the key, a point, and base64url.';
CREATE TRIGGER own_row_entry_append_only BEFORE DELETE OR UPDATE ON public.own_row_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER own_row_entry_no_truncate BEFORE TRUNCATE ON public.own_row_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table own_row_progress (
  network text not null,
  serial integer not null,
  constraint own_row_progress_pkey PRIMARY KEY (network)
);
comment on table own_row_progress is 'How far the watcher of each network knows the operator''s own rows. A network without own rows has none.';
comment on column own_row_progress.network is 'The name of the network, shipped or an operator''s own.';
comment on column own_row_progress.serial is 'The number of the last entry about this network or its tokens that its watcher reads blocks with. A network or token is offered only from then on.';

create table rate (
  symbol text not null,
  minute timestamp(0) with time zone not null,
  price numeric(40,0) not null,
  sources jsonb not null,
  taken_at timestamp(3) with time zone not null,
  constraint rate_pkey PRIMARY KEY (symbol, minute),
  constraint rate_price_check CHECK ((price > (0)::numeric))
);
comment on table rate is 'The median price of an asset in one minute. A later price of the same minute replaces it, and old rates are deleted.';
comment on column rate.minute is 'The start of the minute in UTC.';
comment on column rate.price is 'In 10^-12 USD per whole unit.';
comment on column rate.sources is 'The readings of which it is the median, in the form of quote.sources.';
