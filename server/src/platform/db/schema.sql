-- The schema after all migrations, printed from the catalogue.
-- Refresh it with: npx coffer schema > server/src/platform/db/schema.sql

create table account (
  id uuid not null,
  email text not null,
  password_hash text not null,
  is_operator boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  constraint account_pkey PRIMARY KEY (id),
  constraint account_email_unique UNIQUE (email)
);

create table address (
  id bigint not null generated always as identity,
  family text not null,
  address text not null,
  branch bigint not null,
  index bigint not null,
  mac bytea not null,
  network text,
  merchant_id uuid,
  invoice_id uuid,
  payment_method_id integer,
  assigned_at timestamp(3) with time zone,
  assignment_mac text,
  constraint address_pkey PRIMARY KEY (id),
  constraint address_invoice_method_unique UNIQUE (invoice_id, payment_method_id),
  constraint address_place_unique UNIQUE (family, branch, index),
  constraint address_unique UNIQUE (family, address),
  constraint address_family_branch_fkey FOREIGN KEY (family, branch) REFERENCES address_branch(family, branch),
  constraint address_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint address_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint address_check CHECK (((assigned_at IS NULL) = (invoice_id IS NULL))),
  constraint address_check1 CHECK (((assigned_at IS NULL) = (merchant_id IS NULL))),
  constraint address_check2 CHECK (((assigned_at IS NULL) = (payment_method_id IS NULL))),
  constraint address_index_check CHECK ((index >= 0))
);
CREATE INDEX address_free ON public.address USING btree (family, branch, index) WHERE (assigned_at IS NULL);

create table address_branch (
  family text not null,
  branch bigint not null,
  xpub_fingerprint text not null,
  incarnation_id uuid not null,
  server_started_at timestamp with time zone not null,
  opened_at timestamp with time zone not null default now(),
  next_index bigint not null default 0,
  used_at timestamp(3) with time zone not null default now(),
  constraint address_branch_pkey PRIMARY KEY (family, branch),
  constraint address_branch_branch_check CHECK (((branch >= 0) AND (branch < '2147483648'::bigint)))
);

create table api_key (
  merchant_id uuid not null,
  key_hash bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  constraint api_key_pkey PRIMARY KEY (merchant_id),
  constraint api_key_hash_unique UNIQUE (key_hash),
  constraint api_key_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id)
);

create table asset_halt (
  asset text not null,
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default now(),
  constraint asset_halt_pkey PRIMARY KEY (asset)
);

create table attested_statement_key (
  only_row boolean not null default true,
  public_key text not null,
  attested_at timestamp(3) with time zone not null default now(),
  constraint attested_statement_key_pkey PRIMARY KEY (only_row),
  constraint attested_statement_key_only_row_check CHECK (only_row),
  constraint attested_statement_key_public_key_check CHECK ((public_key ~ '^[0-9a-f]{64}$'::text))
);

create table attested_xpub (
  family text not null,
  xpub_fingerprint text not null,
  attested_at timestamp(3) with time zone not null default now(),
  constraint attested_xpub_pkey PRIMARY KEY (family)
);

create table attribution (
  transaction_id uuid not null,
  merchant_id uuid,
  fee_percent_basis_points integer not null,
  fee_flat_minor numeric(78,0) not null,
  made_at timestamp(3) with time zone not null default now(),
  mac text not null default ''::text,
  constraint attribution_pkey PRIMARY KEY (transaction_id),
  constraint attribution_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint attribution_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transaction(id),
  constraint attribution_check CHECK (((merchant_id IS NOT NULL) OR ((fee_percent_basis_points = 0) AND (fee_flat_minor = (0)::numeric)))),
  constraint attribution_fee_flat_minor_check CHECK ((fee_flat_minor >= (0)::numeric)),
  constraint attribution_fee_percent_basis_points_check CHECK (((fee_percent_basis_points >= 0) AND (fee_percent_basis_points <= 10000)))
);

create table audit_entry (
  id uuid not null,
  happened_at timestamp(3) with time zone not null default now(),
  account_id uuid,
  merchant_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'::jsonb,
  constraint audit_entry_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entry_claim ON public.audit_entry USING btree (((details ->> 'invoiceID'::text))) WHERE ((action = 'withdrawal.requested'::text) AND ((details ->> 'invoiceID'::text) IS NOT NULL));
CREATE INDEX audit_entry_merchant ON public.audit_entry USING btree (merchant_id, happened_at);
CREATE INDEX audit_entry_restored ON public.audit_entry USING btree (merchant_id, happened_at) WHERE (action = 'merchant.restored'::text);
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table block (
  network text not null,
  height bigint not null,
  hash text not null,
  parent_hash text not null,
  mined_at timestamp(3) with time zone not null,
  constraint block_pkey PRIMARY KEY (network, height),
  constraint block_hash_unique UNIQUE (network, hash),
  constraint block_height_check CHECK ((height >= 0))
);

create table books_check (
  singleton boolean not null default true,
  checked_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone not null,
  constraint books_check_pkey PRIMARY KEY (singleton),
  constraint books_check_singleton_check CHECK (singleton)
);

create table books_key (
  id text not null,
  noted_at timestamp(3) with time zone not null default now(),
  constraint books_key_pkey PRIMARY KEY (id),
  constraint books_key_id_check CHECK ((id ~ '^[0-9a-f]{8}$'::text)) NOT VALID
);

create table capital_source (
  network text not null,
  address text not null,
  constraint capital_source_pkey PRIMARY KEY (network, address)
);

create table chain_cursor (
  network text not null,
  height bigint not null,
  hash text not null,
  final_height bigint not null default '-1'::integer,
  first_height bigint not null,
  head_height bigint not null,
  seen_at timestamp with time zone not null default now(),
  kept_from bigint,
  constraint chain_cursor_pkey PRIMARY KEY (network)
);

create table chain_failure (
  network text not null,
  height bigint,
  message text not null,
  failing_since timestamp with time zone not null default now(),
  constraint chain_failure_pkey PRIMARY KEY (network)
);

create table code_pause (
  account_id uuid not null,
  failures integer not null,
  failed_at timestamp(3) with time zone not null default now(),
  constraint code_pause_pkey PRIMARY KEY (account_id),
  constraint code_pause_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint code_pause_failures_check CHECK ((failures > 0))
);

create table coin (
  network text not null,
  outpoint text not null,
  tx_hash text not null,
  address text not null,
  amount_minor numeric(78,0) not null,
  height bigint not null,
  matures_after integer not null default 1,
  spent_by text,
  spent_height bigint,
  missed_at timestamp(3) with time zone,
  constraint coin_pkey PRIMARY KEY (network, outpoint),
  constraint coin_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint coin_check CHECK (((spent_by IS NULL) = (spent_height IS NULL)))
);
CREATE INDEX coin_of_transaction ON public.coin USING btree (network, tx_hash);
CREATE INDEX coin_spender ON public.coin USING btree (network, spent_by) WHERE (spent_by IS NOT NULL);
CREATE INDEX coin_spent ON public.coin USING btree (network, spent_height) WHERE (spent_by IS NOT NULL);
CREATE INDEX coin_unspent ON public.coin USING btree (network, height) WHERE (spent_by IS NULL);

create table coin_maker (
  network text not null,
  tx_hash text not null,
  raw bytea not null,
  constraint coin_maker_pkey PRIMARY KEY (network, tx_hash)
);

create table coin_set_aside (
  network text not null,
  outpoint text not null,
  amount_minor numeric(78,0) not null,
  reason text not null,
  set_aside_at timestamp(3) with time zone not null default now(),
  constraint coin_set_aside_pkey PRIMARY KEY (network, outpoint),
  constraint coin_set_aside_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint coin_set_aside_reason_check CHECK ((reason = ANY (ARRAY['small'::text, 'books'::text])))
);

create table collection (
  id uuid not null,
  merchant_id uuid not null,
  network text not null,
  asset text not null,
  payment_method_id integer not null,
  sweep_id uuid,
  funding_id uuid,
  amount_minor numeric(78,0) not null,
  amount numeric not null,
  transactions integer not null,
  state text not null default 'planned'::text,
  tx_hash text,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint collection_pkey PRIMARY KEY (id),
  constraint collection_funding_id_fkey FOREIGN KEY (funding_id) REFERENCES sweep(id),
  constraint collection_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint collection_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id),
  constraint collection_amount_minor_check CHECK ((amount_minor >= (0)::numeric)),
  constraint collection_check CHECK (((sweep_id IS NOT NULL) OR (funding_id IS NOT NULL))),
  constraint collection_check1 CHECK (((state = ANY (ARRAY['completed'::text, 'blocked'::text])) = (ended_at IS NOT NULL))),
  constraint collection_check2 CHECK (((state <> 'completed'::text) OR (tx_hash IS NOT NULL))),
  constraint collection_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'funding'::text, 'sweeping'::text, 'completed'::text, 'blocked'::text])))
);
CREATE INDEX collection_funding ON public.collection USING btree (funding_id) WHERE (funding_id IS NOT NULL);
CREATE INDEX collection_of_merchant ON public.collection USING btree (merchant_id, created_at, id);
CREATE INDEX collection_of_merchant_amount ON public.collection USING btree (merchant_id, amount, id);
CREATE UNIQUE INDEX collection_sweep ON public.collection USING btree (sweep_id, merchant_id, asset) WHERE (sweep_id IS NOT NULL);

create table collection_order (
  network text not null,
  ordered_at timestamp(3) with time zone not null default now(),
  constraint collection_order_pkey PRIMARY KEY (network)
);

create table database_incarnation (
  only_row boolean not null default true,
  id uuid not null,
  constraint database_incarnation_pkey PRIMARY KEY (only_row),
  constraint database_incarnation_only_row_check CHECK (only_row)
);

create table delivery (
  id uuid not null,
  event_id uuid not null,
  merchant_id uuid not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default now(),
  claimed_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint delivery_pkey PRIMARY KEY (id),
  constraint delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES event(id),
  constraint delivery_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint delivery_check CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'cancelled'::text])))
);
CREATE INDEX delivery_backlog ON public.delivery USING btree (merchant_id, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX delivery_claimed ON public.delivery USING btree (merchant_id) WHERE ((state = 'pending'::text) AND (claimed_until IS NOT NULL));
CREATE INDEX delivery_event ON public.delivery USING btree (event_id);
CREATE INDEX delivery_merchant ON public.delivery USING btree (merchant_id, created_at);

create table delivery_attempt (
  delivery_id uuid not null,
  number integer not null,
  started_at timestamp(3) with time zone not null,
  took_ms integer not null,
  status integer,
  error text,
  response_excerpt text,
  constraint delivery_attempt_pkey PRIMARY KEY (delivery_id, number),
  constraint delivery_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id),
  constraint delivery_attempt_number_check CHECK ((number > 0))
);

create table deposit_doubt (
  transaction_id uuid not null,
  inclusion integer not null,
  kind text not null,
  detail text not null,
  since timestamp(3) with time zone not null default now(),
  retry_at timestamp(3) with time zone not null,
  constraint deposit_doubt_pkey PRIMARY KEY (transaction_id),
  constraint deposit_doubt_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transaction(id),
  constraint deposit_doubt_kind_check CHECK ((kind = ANY (ARRAY['false'::text, 'unread'::text])))
);

create table deposit_pause (
  network text not null,
  depth bigint not null,
  paused_at timestamp(3) with time zone not null default now(),
  until_height bigint not null,
  constraint deposit_pause_pkey PRIMARY KEY (network),
  constraint deposit_pause_depth_check CHECK ((depth > 0))
);

create table dev_token (
  network text not null,
  symbol text not null,
  contract text not null,
  constraint dev_token_pkey PRIMARY KEY (network, symbol)
);

create table event (
  id uuid not null,
  merchant_id uuid not null,
  sequence bigint not null,
  type text not null,
  subject text not null,
  body text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint event_pkey PRIMARY KEY (id),
  constraint event_sequence_unique UNIQUE (merchant_id, sequence),
  constraint event_subject_unique UNIQUE (subject),
  constraint event_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint event_sequence_check CHECK ((sequence > 0))
);

create table event_counter (
  merchant_id uuid not null,
  last_sequence bigint not null default 0,
  timeline bigint not null default current_wal_timeline(),
  incarnation bigint not null default 1,
  constraint event_counter_pkey PRIMARY KEY (merchant_id),
  constraint event_counter_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id)
);
CREATE TRIGGER event_counter_begins_behind_gap AFTER INSERT ON public.event_counter FOR EACH ROW WHEN ((new.last_sequence > 1000000)) EXECUTE FUNCTION event_counter_begins();
CREATE TRIGGER event_counter_leaps BEFORE UPDATE ON public.event_counter FOR EACH ROW WHEN (((new.timeline <> old.timeline) OR (new.incarnation <> old.incarnation))) EXECUTE FUNCTION event_counter_leap();

create table event_gap (
  merchant_id uuid not null,
  after_sequence bigint not null,
  resumes_after bigint not null,
  made_at timestamp(3) with time zone not null default now(),
  constraint event_gap_pkey PRIMARY KEY (merchant_id, after_sequence),
  constraint event_gap_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint event_gap_check CHECK ((resumes_after = (after_sequence + 1000000)))
);
CREATE TRIGGER event_gap_append_only BEFORE DELETE OR UPDATE ON public.event_gap FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_gap_no_truncate BEFORE TRUNCATE ON public.event_gap FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table fee_level (
  network text not null,
  hour timestamp(0) with time zone not null,
  base_fee_minor numeric(78,0) not null,
  constraint fee_level_pkey PRIMARY KEY (network, hour)
);

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

create table full_payment (
  invoice_id uuid not null,
  transaction_id uuid not null,
  constraint full_payment_pkey PRIMARY KEY (invoice_id, transaction_id),
  constraint full_payment_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint full_payment_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transaction(id)
);

create table guess (
  id uuid not null,
  source text not null,
  subject_hash bytea not null,
  account_id uuid,
  made_at timestamp(3) with time zone not null default now(),
  failed_at timestamp(3) with time zone,
  constraint guess_pkey PRIMARY KEY (id),
  constraint guess_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint guess_subject_hash_check CHECK ((length(subject_hash) = 4))
);
CREATE INDEX guess_account ON public.guess USING btree (account_id, made_at);
CREATE INDEX guess_made ON public.guess USING btree (made_at);
CREATE INDEX guess_source ON public.guess USING btree (source, made_at);

create table hot_place (
  network text not null,
  branch smallint not null,
  index bigint not null,
  address text not null,
  made_at timestamp(3) with time zone not null default now(),
  is_given boolean not null default true,
  constraint hot_place_pkey PRIMARY KEY (network, branch, index),
  constraint hot_place_network_address_key UNIQUE (network, address),
  constraint hot_place_branch_check CHECK ((branch = ANY (ARRAY[0, 1]))),
  constraint hot_place_index_check CHECK ((index >= 0))
);

create table hot_wallet (
  network text not null,
  lane smallint not null,
  address text not null,
  attested_at timestamp(3) with time zone not null default now(),
  constraint hot_wallet_pkey PRIMARY KEY (network, lane),
  constraint hot_wallet_network_address_key UNIQUE (network, address),
  constraint hot_wallet_lane_check CHECK ((lane >= 0))
);

create table idempotency_key (
  scope_id uuid not null,
  key text not null,
  route text not null,
  fingerprint bytea not null,
  effect_id uuid not null,
  claim_id uuid not null,
  claimed_until timestamp(3) with time zone not null,
  status smallint,
  sealed_answer bytea,
  created_at timestamp(3) with time zone not null default now(),
  constraint idempotency_key_pkey PRIMARY KEY (scope_id, key),
  constraint idempotency_key_check CHECK (((status IS NULL) = (sealed_answer IS NULL))),
  constraint idempotency_key_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint idempotency_key_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255)))
);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);

create table incarnation (
  number bigint not null,
  cause text not null,
  system_identifier text not null,
  timeline bigint not null,
  began_at timestamp(3) with time zone not null default now(),
  last_seen_at timestamp(3) with time zone,
  constraint incarnation_pkey PRIMARY KEY (number),
  constraint incarnation_cause_check CHECK ((cause = ANY (ARRAY['first'::text, 'restore'::text, 'planned'::text, 'promotion'::text, 'loss'::text]))),
  constraint incarnation_number_check CHECK ((number > 0))
);
CREATE TRIGGER incarnation_append_only BEFORE DELETE OR UPDATE ON public.incarnation FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER incarnation_no_truncate BEFORE TRUNCATE ON public.incarnation FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table invoice (
  id uuid not null,
  merchant_id uuid not null,
  type text not null,
  state text not null default 'pending'::text,
  exceptions text[] not null default '{}'::text[],
  amount text not null,
  amount_usd numeric(20,0) not null,
  payment_method_id integer not null,
  payment_method_ids integer[] not null,
  description text,
  reference text,
  aml_ok boolean not null default true,
  collect_state text,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  paid_at timestamp(3) with time zone,
  paid_periods integer not null default 0,
  archived_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  redirect_url text,
  closed_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone,
  accepted_ids uuid[] not null default '{}'::uuid[],
  claim_hash bytea,
  claimed_at timestamp(3) with time zone,
  search_text text generated always as (lower(((COALESCE(description, ''::text) || chr(31)) || COALESCE(reference, ''::text)))) stored,
  paid_when text not null default 'included'::text,
  tolerance_basis_points integer not null default 0,
  sealed_claim_token bytea,
  claim_mac text,
  constraint invoice_pkey PRIMARY KEY (id),
  constraint invoice_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint invoice_amount_usd_check CHECK ((amount_usd > (0)::numeric)),
  constraint invoice_check CHECK (((state = 'paid'::text) = (paid_at IS NOT NULL))),
  constraint invoice_check1 CHECK (((claim_hash IS NULL) OR (type = 'withdraw'::text))),
  constraint invoice_check2 CHECK (((claimed_at IS NULL) OR (claim_hash IS NOT NULL))),
  constraint invoice_check3 CHECK (((accepted_at IS NOT NULL) = (cardinality(accepted_ids) > 0))),
  constraint invoice_collect_state_check CHECK ((collect_state = ANY (ARRAY['collecting'::text, 'sweeping'::text, 'completed'::text]))),
  constraint invoice_paid_when_check CHECK ((paid_when = ANY (ARRAY['included'::text, 'confirmed'::text]))),
  constraint invoice_sealed_claim_check CHECK (((sealed_claim_token IS NULL) OR (claim_hash IS NOT NULL))),
  constraint invoice_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'paid'::text, 'expired'::text]))),
  constraint invoice_tolerance_basis_points_check CHECK (((tolerance_basis_points >= 0) AND (tolerance_basis_points <= 100))),
  constraint invoice_type_check CHECK ((type = ANY (ARRAY['onetime'::text, 'reusable'::text, 'collect'::text, 'withdraw'::text])))
);
CREATE INDEX invoice_by_amount ON public.invoice USING btree (merchant_id, amount_usd, id) INCLUDE (archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_by_cell ON public.invoice USING btree (merchant_id, payment_method_ids, type, state, aml_ok, COALESCE(collect_state, ''::text), ((archived_at IS NOT NULL)), created_at, id) INCLUDE (amount_usd, collect_state, archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_by_time ON public.invoice USING btree (merchant_id, created_at, id) INCLUDE (archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_expiring ON public.invoice USING btree (expires_at) WHERE (state = 'pending'::text);
CREATE INDEX invoice_over_collecting ON public.invoice USING btree (id) WHERE ((type = 'collect'::text) AND (collect_state = 'collecting'::text) AND (state <> 'pending'::text));
CREATE UNIQUE INDEX invoice_reference_unique ON public.invoice USING btree (merchant_id, reference) WHERE ((reference IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER invoice_counted_in AFTER INSERT ON public.invoice REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_counted_out AFTER DELETE ON public.invoice REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_counted_over AFTER UPDATE ON public.invoice REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_text_added AFTER INSERT ON public.invoice FOR EACH ROW WHEN (((new.description IS NOT NULL) OR (new.reference IS NOT NULL))) EXECUTE FUNCTION keep_invoice_text();
CREATE TRIGGER invoice_text_changed AFTER UPDATE ON public.invoice FOR EACH ROW WHEN ((old.search_text IS DISTINCT FROM new.search_text)) EXECUTE FUNCTION keep_invoice_text();
CREATE TRIGGER transactions_counted_with_invoice AFTER UPDATE ON public.invoice FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION count_transactions_of_invoice();

create table invoice_cell_count (
  merchant_id uuid not null,
  payment_method_ids integer[] not null,
  type text not null,
  state text not null,
  aml_ok boolean not null,
  collect_state text not null,
  is_archived boolean not null,
  invoices bigint not null,
  constraint invoice_cell_count_pkey PRIMARY KEY (merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived)
);

create table invoice_count_change (
  merchant_id uuid not null,
  payment_method_ids integer[] not null,
  type text not null,
  state text not null,
  aml_ok boolean not null,
  collect_state text not null,
  is_archived boolean not null,
  created_at timestamp(3) with time zone not null,
  amount_usd numeric(20,0) not null,
  difference integer not null
);
CREATE INDEX invoice_count_change_merchant ON public.invoice_count_change USING btree (merchant_id);

create table invoice_outcome_count (
  merchant_id uuid not null,
  day date not null,
  state text not null,
  invoices bigint not null,
  constraint invoice_outcome_count_pkey PRIMARY KEY (merchant_id, day, state)
);

create table invoice_range_count (
  merchant_id uuid not null,
  scale text not null,
  bucket integer not null,
  is_archived boolean not null,
  invoices bigint not null,
  constraint invoice_range_count_pkey PRIMARY KEY (merchant_id, scale, bucket, is_archived),
  constraint invoice_range_count_scale_check CHECK ((scale = ANY (ARRAY['day'::text, 'days'::text, 'amount'::text, 'amounts'::text])))
);

create table invoice_text (
  invoice_id uuid not null,
  merchant_id uuid not null,
  search_text text not null,
  constraint invoice_text_pkey PRIMARY KEY (invoice_id),
  constraint invoice_text_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id) ON DELETE CASCADE
);
CREATE INDEX invoice_text_search ON public.invoice_text USING gin (search_text gin_trgm_ops) WITH (gin_pending_list_limit='512');

create table journal (
  id uuid not null,
  kind text not null,
  subject text not null,
  reverses uuid,
  posted_at timestamp(3) with time zone not null default now(),
  mac text not null default ''::text,
  constraint journal_pkey PRIMARY KEY (id),
  constraint journal_reverses_unique UNIQUE (reverses),
  constraint journal_subject_unique UNIQUE (subject),
  constraint journal_reverses_fkey FOREIGN KEY (reverses) REFERENCES journal(id)
);
CREATE TRIGGER journal_append_only BEFORE DELETE OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER journal_must_balance AFTER INSERT ON public.journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION journal_must_balance();
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON public.journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_line (
  journal_id uuid not null,
  place smallint not null,
  account_id bigint not null,
  debit numeric(78,0) not null,
  credit numeric(78,0) not null,
  constraint journal_line_pkey PRIMARY KEY (journal_id, place),
  constraint journal_line_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_account(id),
  constraint journal_line_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id),
  constraint journal_line_check CHECK (((debit = (0)::numeric) <> (credit = (0)::numeric))),
  constraint journal_line_credit_check CHECK ((credit >= (0)::numeric)),
  constraint journal_line_debit_check CHECK ((debit >= (0)::numeric))
);
CREATE INDEX journal_line_account ON public.journal_line USING btree (account_id, journal_id);
CREATE TRIGGER journal_line_append_only BEFORE DELETE OR UPDATE ON public.journal_line FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_line_must_be_new AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION journal_must_be_new();
CREATE TRIGGER journal_line_no_truncate BEFORE TRUNCATE ON public.journal_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_seal (
  sequence bigint not null,
  journal_id uuid not null,
  hash bytea not null,
  constraint journal_seal_pkey PRIMARY KEY (sequence),
  constraint journal_seal_journal_unique UNIQUE (journal_id),
  constraint journal_seal_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id),
  constraint journal_seal_hash_check CHECK ((length(hash) = 32)),
  constraint journal_seal_sequence_check CHECK ((sequence > 0))
);
CREATE TRIGGER journal_seal_append_only BEFORE DELETE OR UPDATE ON public.journal_seal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_seal_no_truncate BEFORE TRUNCATE ON public.journal_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_unsealed (
  journal_id uuid not null,
  constraint journal_unsealed_pkey PRIMARY KEY (journal_id),
  constraint journal_unsealed_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id)
);
CREATE TRIGGER journal_unsealed_append_only BEFORE UPDATE ON public.journal_unsealed FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_unsealed_no_truncate BEFORE TRUNCATE ON public.journal_unsealed FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_unsealed_until_sealed AFTER DELETE ON public.journal_unsealed REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION unsealed_must_be_sealed();

create table key_fingerprint (
  only_row boolean not null default true,
  encryption_key_id text not null,
  next_encryption_key_id text,
  constraint key_fingerprint_pkey PRIMARY KEY (only_row),
  constraint key_fingerprint_only_row_check CHECK (only_row)
);

create table lane_balance (
  network text not null,
  address text not null,
  asset text not null,
  amount_minor numeric(78,0) not null,
  height bigint not null,
  taken_at timestamp(3) with time zone not null default now(),
  constraint lane_balance_pkey PRIMARY KEY (network, address, asset),
  constraint lane_balance_amount_minor_check CHECK ((amount_minor >= (0)::numeric))
);

create table lease (
  name text not null,
  holder_id uuid not null,
  epoch bigint not null,
  expires_at timestamp with time zone not null,
  constraint lease_pkey PRIMARY KEY (name),
  constraint lease_epoch_check CHECK ((epoch > 0))
);
CREATE UNIQUE INDEX lease_epoch_unique ON public.lease USING btree (name, epoch);

create table ledger_account (
  id bigint not null generated always as identity,
  name text not null,
  owner_id uuid,
  asset text not null,
  debits numeric(98,0) not null default 0,
  credits numeric(98,0) not null default 0,
  constraint ledger_account_pkey PRIMARY KEY (id),
  constraint ledger_account_unique UNIQUE NULLS NOT DISTINCT (name, owner_id, asset),
  constraint ledger_account_credits_check CHECK ((credits >= (0)::numeric)),
  constraint ledger_account_debits_check CHECK ((debits >= (0)::numeric)),
  constraint ledger_account_no_overdraft CHECK (((name <> ALL (ARRAY['available'::text, 'held'::text, 'quarantine'::text])) OR (credits >= debits)))
);
CREATE INDEX ledger_account_owner ON public.ledger_account USING btree (owner_id) WHERE (owner_id IS NOT NULL);

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

create table loss_put_back (
  incarnation bigint not null,
  process_id uuid not null,
  beat_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint loss_put_back_pkey PRIMARY KEY (incarnation, process_id)
);

create table loss_recovery (
  incarnation bigint not null,
  family text not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  noted_at timestamp(3) with time zone not null default now(),
  added_count bigint,
  ended_at timestamp(3) with time zone,
  constraint loss_recovery_pkey PRIMARY KEY (incarnation, family),
  constraint loss_recovery_check CHECK ((since <= until)),
  constraint loss_recovery_check1 CHECK (((ended_at IS NULL) = (added_count IS NULL)))
);
CREATE INDEX loss_recovery_open ON public.loss_recovery USING btree (family) WHERE (ended_at IS NULL);

create table lost_beat (
  incarnation bigint not null,
  process_id uuid not null,
  role text not null,
  beat bigint not null,
  surviving_beat bigint,
  last_seen_at timestamp(3) with time zone not null,
  noticed_at timestamp(3) with time zone not null default now(),
  constraint lost_beat_pkey PRIMARY KEY (incarnation, process_id),
  constraint lost_beat_incarnation_fkey FOREIGN KEY (incarnation) REFERENCES incarnation(number)
);
CREATE TRIGGER lost_beat_append_only BEFORE DELETE OR UPDATE ON public.lost_beat FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lost_beat_no_truncate BEFORE TRUNCATE ON public.lost_beat FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table lost_record (
  incarnation bigint not null,
  kind text not null,
  id text not null,
  merchant_id uuid,
  committed_at timestamp(3) with time zone not null,
  outcome text not null,
  detail text not null,
  noted_at timestamp(3) with time zone not null default now(),
  constraint lost_record_pkey PRIMARY KEY (incarnation, kind, id),
  constraint lost_record_outcome_check CHECK ((outcome = ANY (ARRAY['put-back'::text, 'named'::text])))
);
CREATE TRIGGER lost_record_append_only BEFORE DELETE OR UPDATE ON public.lost_record FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lost_record_no_truncate BEFORE TRUNCATE ON public.lost_record FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table member (
  account_id uuid not null,
  merchant_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint member_pkey PRIMARY KEY (account_id, merchant_id),
  constraint member_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint member_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'viewer'::text])))
);
CREATE INDEX member_merchant ON public.member USING btree (merchant_id);

create table merchant (
  id uuid not null,
  name text not null,
  paid_when text not null default 'included'::text,
  tolerance_basis_points integer not null default 0,
  ip_whitelist text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  constraint merchant_pkey PRIMARY KEY (id),
  constraint merchant_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint merchant_paid_when_check CHECK ((paid_when = ANY (ARRAY['included'::text, 'confirmed'::text]))),
  constraint merchant_tolerance_basis_points_check CHECK (((tolerance_basis_points >= 0) AND (tolerance_basis_points <= 100)))
);

create table missed_payment (
  id bigint not null generated always as identity,
  network text not null,
  address text not null,
  asset text not null,
  height bigint not null,
  is_located boolean not null,
  amount_minor numeric(78,0) not null,
  tx_hash text,
  found_by text not null,
  state text not null default 'open'::text,
  found_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint missed_payment_pkey PRIMARY KEY (id),
  constraint missed_payment_network_address_asset_height_key UNIQUE (network, address, asset, height),
  constraint missed_payment_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint missed_payment_check CHECK (((state = ANY (ARRAY['booked'::text, 'gone'::text])) = (ended_at IS NOT NULL))),
  constraint missed_payment_found_by_check CHECK ((found_by = ANY (ARRAY['balance'::text, 'output'::text, 'block'::text]))),
  constraint missed_payment_state_check CHECK ((state = ANY (ARRAY['open'::text, 'booked'::text, 'unexplained'::text, 'gone'::text])))
);
CREATE INDEX missed_payment_open ON public.missed_payment USING btree (network) WHERE (state = ANY (ARRAY['open'::text, 'unexplained'::text]));

create table missed_payment_search (
  network text not null,
  compared_height bigint not null default '-1'::integer,
  address_id bigint not null default 0,
  turn_began_at timestamp(3) with time zone not null default now(),
  turn_addresses bigint not null default 0,
  turn_total bigint not null default 0,
  covered_since timestamp(3) with time zone not null default now(),
  look_seconds double precision not null default 60,
  look_addresses bigint not null default 0,
  looked_at timestamp(3) with time zone not null default now(),
  blocks_reread bigint not null default 0,
  blocks_unread bigint not null default 0,
  constraint missed_payment_search_pkey PRIMARY KEY (network)
);

create table oracle_answer (
  network text not null,
  address text not null,
  is_listed boolean not null,
  asked_at timestamp(3) with time zone not null default now(),
  constraint oracle_answer_pkey PRIMARY KEY (network, address)
);
CREATE INDEX oracle_answer_age ON public.oracle_answer USING btree (asked_at);

create table payment_day_change (
  merchant_id uuid not null,
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  worth numeric not null,
  unpriced bigint not null
);
CREATE INDEX payment_day_change_merchant ON public.payment_day_change USING btree (merchant_id);

create table payment_day_sum (
  merchant_id uuid not null,
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  worth numeric not null,
  unpriced bigint not null,
  constraint payment_day_sum_pkey PRIMARY KEY (merchant_id, day, payment_method_id)
);

create table payout (
  id uuid not null,
  network text not null,
  kind text not null,
  intent text not null,
  wallet_place jsonb not null,
  wallet text not null,
  nonce bigint not null,
  state text not null default 'planned'::text,
  gas numeric(78,0) not null,
  max_fee_minor numeric(78,0) not null,
  tip_minor numeric(78,0) not null,
  max_cost_minor numeric(78,0) not null generated always as ((gas * max_fee_minor)) stored,
  spent_asset text,
  spent_contract text,
  spent_minor numeric(78,0),
  bumps smallint not null default 0,
  sent_height bigint,
  offered_height bigint,
  included_tx_hash text,
  included_height bigint,
  included_block_hash text,
  is_success boolean,
  fee_minor numeric(78,0),
  planned_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  fee_limit_minor numeric(78,0),
  is_superseded boolean not null default false,
  constraint payout_pkey PRIMARY KEY (id),
  constraint payout_bumps_check CHECK ((bumps >= 0)),
  constraint payout_check CHECK (((state = ANY (ARRAY['included'::text, 'final'::text])) = (included_height IS NOT NULL))),
  constraint payout_check1 CHECK (((included_height IS NULL) = (included_block_hash IS NULL))),
  constraint payout_check2 CHECK (((included_height IS NULL) = (included_tx_hash IS NULL))),
  constraint payout_check3 CHECK (((included_height IS NULL) = (is_success IS NULL))),
  constraint payout_check4 CHECK (((included_height IS NULL) = (fee_minor IS NULL))),
  constraint payout_check5 CHECK (((state = ANY (ARRAY['final'::text, 'displaced'::text])) = (ended_at IS NOT NULL))),
  constraint payout_check6 CHECK (((spent_asset IS NULL) = (spent_minor IS NULL))),
  constraint payout_fee_limit_minor_check CHECK ((fee_limit_minor > (0)::numeric)),
  constraint payout_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint payout_gas_check CHECK ((gas >= (0)::numeric)),
  constraint payout_kind_check CHECK ((kind = ANY (ARRAY['withdrawal'::text, 'sweep'::text, 'top_up'::text, 'forward'::text, 'rebalance'::text, 'take_out'::text, 'deploy'::text, 'lift'::text, 'reclaim'::text, 'consolidate'::text]))),
  constraint payout_max_fee_minor_check CHECK ((max_fee_minor >= (0)::numeric)),
  constraint payout_nonce_check CHECK ((nonce >= 0)),
  constraint payout_spent_minor_check CHECK ((spent_minor >= (0)::numeric)),
  constraint payout_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'signed'::text, 'broadcast'::text, 'in_doubt'::text, 'included'::text, 'final'::text, 'displaced'::text]))),
  constraint payout_superseded_check CHECK (((NOT is_superseded) OR (state = 'displaced'::text))),
  constraint payout_tip_minor_check CHECK ((tip_minor >= (0)::numeric))
);
CREATE INDEX payout_included ON public.payout USING btree (network, included_height) WHERE (included_height IS NOT NULL);
CREATE UNIQUE INDEX payout_nonce_unique ON public.payout USING btree (network, wallet, nonce) WHERE (NOT is_superseded);
CREATE INDEX payout_open ON public.payout USING btree (network, planned_at, id) WHERE (state <> ALL (ARRAY['final'::text, 'displaced'::text]));

create table payout_attempt (
  network text not null,
  tx_hash text not null,
  payout_id uuid not null,
  raw text not null,
  gas numeric(78,0) not null,
  max_fee_minor numeric(78,0) not null,
  tip_minor numeric(78,0) not null,
  signed_at timestamp(3) with time zone not null default now(),
  broadcast_at timestamp(3) with time zone,
  constraint payout_attempt_pkey PRIMARY KEY (network, tx_hash),
  constraint payout_attempt_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payout(id)
);
CREATE INDEX payout_attempt_payout ON public.payout_attempt USING btree (payout_id);

create table payout_halt (
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  ordinal integer not null default 1,
  constraint payout_halt_pkey PRIMARY KEY (id),
  constraint payout_halt_ordinal_unique UNIQUE (cause, ordinal),
  constraint payout_halt_ordinal_check CHECK ((ordinal > 0))
);
CREATE TRIGGER payout_halt_append_only BEFORE DELETE OR UPDATE ON public.payout_halt FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_halt_no_truncate BEFORE TRUNCATE ON public.payout_halt FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_halt_lift (
  halt_id uuid not null,
  statement text not null,
  signature text not null,
  lifted_at timestamp(3) with time zone not null default now(),
  constraint payout_halt_lift_pkey PRIMARY KEY (halt_id, signature),
  constraint payout_halt_lift_halt_id_fkey FOREIGN KEY (halt_id) REFERENCES payout_halt(id)
);
CREATE TRIGGER payout_halt_lift_append_only BEFORE DELETE OR UPDATE ON public.payout_halt_lift FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_halt_lift_no_truncate BEFORE TRUNCATE ON public.payout_halt_lift FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_input (
  payout_id uuid not null,
  place smallint not null,
  network text not null,
  outpoint text not null,
  amount_minor numeric(78,0) not null,
  coin_place jsonb not null,
  is_released boolean not null default false,
  constraint payout_input_pkey PRIMARY KEY (payout_id, place),
  constraint payout_input_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payout(id) ON DELETE CASCADE,
  constraint payout_input_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint payout_input_place_check CHECK ((place >= 0))
);
CREATE UNIQUE INDEX payout_input_coin ON public.payout_input USING btree (network, outpoint) WHERE (NOT is_released);
CREATE INDEX payout_input_outpoint ON public.payout_input USING btree (network, outpoint);
CREATE INDEX payout_input_released ON public.payout_input USING btree (network, outpoint) WHERE is_released;

create table payout_outflow (
  network text not null,
  tx_hash text not null,
  wallet text not null,
  nonce bigint,
  height bigint not null,
  block_hash text not null,
  kind text not null,
  detail text not null,
  raw text not null,
  fee_minor numeric(78,0) not null,
  found_at timestamp(3) with time zone not null default now(),
  constraint payout_outflow_pkey PRIMARY KEY (network, tx_hash),
  constraint payout_outflow_nonce_unique UNIQUE (network, wallet, nonce),
  constraint payout_outflow_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint payout_outflow_kind_check CHECK ((kind = ANY (ARRAY['own'::text, 'failed'::text, 'unknown'::text]))),
  constraint payout_outflow_nonce_check CHECK ((nonce >= 0))
);

create table payout_recovery (
  network text not null,
  reason text not null,
  requested_at timestamp(3) with time zone not null default now(),
  targets jsonb,
  constraint payout_recovery_pkey PRIMARY KEY (network)
);

create table payout_refusal (
  payout_id uuid not null,
  network text not null,
  kind text not null,
  intent text not null,
  wallet_place jsonb,
  spent_asset text,
  spent_contract text,
  spent_minor numeric(78,0),
  code text not null,
  detail text not null,
  refused_at timestamp(3) with time zone not null default now(),
  retry_at timestamp(3) with time zone,
  constraint payout_refusal_pkey PRIMARY KEY (payout_id)
);

create table payout_respend (
  payout_id uuid not null,
  network text not null,
  constraint payout_respend_pkey PRIMARY KEY (payout_id),
  constraint payout_respend_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payout(id) ON DELETE CASCADE
);
CREATE INDEX payout_respend_network ON public.payout_respend USING btree (network);

create table payout_wait (
  network text not null,
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default now(),
  constraint payout_wait_pkey PRIMARY KEY (network, cause)
);

create table payout_without_transfer (
  payout_id uuid not null,
  block_hash text not null,
  tx_hash text not null,
  detail text not null,
  found_at timestamp(3) with time zone not null default now(),
  outcome text,
  reason text,
  decided_at timestamp(3) with time zone,
  outcome_mac text,
  constraint payout_without_transfer_pkey PRIMARY KEY (payout_id, block_hash),
  constraint payout_without_transfer_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payout(id),
  constraint payout_without_transfer_check CHECK (((outcome IS NULL) = (decided_at IS NULL))),
  constraint payout_without_transfer_check1 CHECK (((outcome IS NULL) = (reason IS NULL))),
  constraint payout_without_transfer_outcome_check CHECK ((outcome = ANY (ARRAY['paid'::text, 'unpaid'::text])))
);
CREATE INDEX payout_without_transfer_open ON public.payout_without_transfer USING btree (found_at) WHERE (outcome IS NULL);

create table process_heartbeat (
  process_id uuid not null,
  role text not null,
  incarnation bigint not null,
  beat bigint not null,
  beat_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint process_heartbeat_pkey PRIMARY KEY (process_id),
  constraint process_heartbeat_beat_check CHECK ((beat > 0))
);

create table proven_books (
  prover text not null,
  sequence bigint not null,
  hash bytea,
  began_at timestamp with time zone not null,
  full_at timestamp with time zone,
  sums jsonb not null,
  mac text not null,
  constraint proven_books_pkey PRIMARY KEY (prover),
  constraint proven_books_hash_check CHECK ((length(hash) = 32)),
  constraint proven_books_prover_check CHECK ((prover = ANY (ARRAY['verify'::text, 'standing'::text]))),
  constraint proven_books_sequence_check CHECK ((sequence >= 0))
);

create table quote (
  id uuid not null,
  invoice_id uuid not null,
  payment_method_id integer not null,
  price numeric(40,0) not null,
  price_taken_at timestamp(3) with time zone not null,
  sources jsonb not null,
  full_minor numeric(78,0) not null,
  quoted_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  mac text not null default ''::text,
  constraint quote_pkey PRIMARY KEY (id),
  constraint quote_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint quote_check CHECK ((expires_at >= quoted_at)),
  constraint quote_full_minor_check CHECK ((full_minor > (0)::numeric)),
  constraint quote_price_check CHECK ((price > (0)::numeric))
);
CREATE INDEX quote_invoice ON public.quote USING btree (invoice_id, payment_method_id, quoted_at);

create table rate (
  symbol text not null,
  minute timestamp(0) with time zone not null,
  price numeric(40,0) not null,
  sources jsonb not null,
  taken_at timestamp(3) with time zone not null,
  constraint rate_pkey PRIMARY KEY (symbol, minute),
  constraint rate_price_check CHECK ((price > (0)::numeric))
);

create table recovery_code (
  account_id uuid not null,
  code_hash bytea not null,
  used_at timestamp(3) with time zone,
  constraint recovery_code_pkey PRIMARY KEY (account_id, code_hash),
  constraint recovery_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES second_factor(account_id) ON DELETE CASCADE
);

create table sanctioned_address (
  spelling text not null,
  codes text[] not null,
  parties text[] not null,
  listed_at timestamp(3) with time zone not null default now(),
  constraint sanctioned_address_pkey PRIMARY KEY (spelling)
);

create table sanctions_list (
  id uuid not null,
  source text not null,
  sha256 bytea not null,
  address_count integer not null,
  loaded_at timestamp(3) with time zone not null default now(),
  read_at timestamp(3) with time zone not null default now(),
  fresh_at timestamp(3) with time zone not null,
  replaced_at timestamp(3) with time zone,
  constraint sanctions_list_pkey PRIMARY KEY (id),
  constraint sanctions_list_address_count_check CHECK ((address_count >= 0)),
  constraint sanctions_list_sha256_check CHECK ((octet_length(sha256) = 32))
);
CREATE UNIQUE INDEX sanctions_list_in_force ON public.sanctions_list USING btree ((true)) WHERE (replaced_at IS NULL);

create table schema_migration (
  name text not null,
  checksum text not null,
  applied_at timestamp(3) with time zone not null default now(),
  only_expands boolean not null default false,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table seal_countersignature (
  incarnation_id uuid not null,
  sequence bigint not null,
  hash bytea not null,
  signature text not null,
  signed_at timestamp(3) with time zone not null default now(),
  constraint seal_countersignature_pkey PRIMARY KEY (incarnation_id, sequence, signature),
  constraint seal_countersignature_hash_check CHECK ((length(hash) = 32)),
  constraint seal_countersignature_sequence_check CHECK ((sequence > 0))
);
CREATE TRIGGER seal_countersignature_append_only BEFORE DELETE OR UPDATE ON public.seal_countersignature FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seal_countersignature_no_truncate BEFORE TRUNCATE ON public.seal_countersignature FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table sealed_balance (
  owner_id uuid not null,
  sequence bigint not null,
  hash bytea not null,
  sums jsonb not null,
  mac text not null,
  constraint sealed_balance_pkey PRIMARY KEY (owner_id),
  constraint sealed_balance_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES merchant(id),
  constraint sealed_balance_sequence_check CHECK ((sequence > 0))
);

create table second_factor (
  account_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  confirmed_at timestamp(3) with time zone,
  used_step bigint not null default 0,
  constraint second_factor_pkey PRIMARY KEY (account_id),
  constraint second_factor_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

create table session (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  name text,
  refresh_hash bytea,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  idle_expires_at timestamp(3) with time zone,
  cookie_hash bytea,
  seen_at timestamp(3) with time zone,
  client_address text,
  user_agent text,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_cookie_hash_unique UNIQUE (cookie_hash),
  constraint session_refresh_hash_unique UNIQUE (refresh_hash),
  constraint session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint session_check CHECK (((type = 'access_token'::text) = (name IS NOT NULL))),
  constraint session_check1 CHECK (((type = 'login'::text) OR (refresh_hash IS NULL))),
  constraint session_cookie_check CHECK (((cookie_hash IS NULL) OR ((type = 'login'::text) AND (idle_expires_at IS NOT NULL)))),
  constraint session_type_check CHECK ((type = ANY (ARRAY['login'::text, 'access_token'::text]))),
  constraint session_user_agent_check CHECK ((length(user_agent) <= 256))
);
CREATE INDEX session_account ON public.session USING btree (account_id);

create table signer_log_life (
  only_row boolean not null default true,
  incarnation bigint,
  rewound_mark bigint,
  constraint signer_log_life_pkey PRIMARY KEY (only_row),
  constraint signer_log_life_only_row_check CHECK (only_row)
);

create table signer_log_mark (
  only_row boolean not null default true,
  last_sequence bigint not null default 0,
  constraint signer_log_mark_pkey PRIMARY KEY (only_row),
  constraint signer_log_mark_only_row_check CHECK (only_row)
);

create table spend_floor (
  network text not null,
  asset text not null,
  floor_minor numeric(78,0) not null,
  noted_at timestamp(3) with time zone not null default now(),
  constraint spend_floor_pkey PRIMARY KEY (network, asset),
  constraint spend_floor_floor_minor_check CHECK ((floor_minor >= (0)::numeric))
);

create table sweep (
  id uuid not null,
  network text not null,
  kind text not null,
  assets text[] not null,
  state text not null default 'planned'::text,
  tx_hash text,
  block_height bigint,
  block_hash text,
  is_success boolean,
  planned_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint sweep_pkey PRIMARY KEY (id),
  constraint sweep_check CHECK (((state = ANY (ARRAY['done'::text, 'dropped'::text])) = (ended_at IS NOT NULL))),
  constraint sweep_check1 CHECK (((state <> 'final'::text) OR ((tx_hash IS NOT NULL) AND (block_height IS NOT NULL) AND (block_hash IS NOT NULL)))),
  constraint sweep_kind_check CHECK ((kind = ANY (ARRAY['sweep'::text, 'top_up'::text, 'forward'::text, 'deploy'::text]))),
  constraint sweep_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sent'::text, 'final'::text, 'done'::text, 'dropped'::text])))
);
CREATE INDEX sweep_open ON public.sweep USING btree (network, planned_at) WHERE (state <> ALL (ARRAY['done'::text, 'dropped'::text]));

create table sweep_setback (
  address_id bigint not null,
  asset text not null,
  tries integer not null,
  failed_at timestamp(3) with time zone not null default now(),
  retry_at timestamp(3) with time zone,
  constraint sweep_setback_pkey PRIMARY KEY (address_id, asset),
  constraint sweep_setback_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint sweep_setback_tries_check CHECK ((tries > 0))
);

create table swept_address (
  sweep_id uuid not null,
  address_id bigint not null,
  constraint swept_address_pkey PRIMARY KEY (sweep_id, address_id),
  constraint swept_address_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint swept_address_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id)
);
CREATE INDEX swept_address_address ON public.swept_address USING btree (address_id);

create table take_out (
  id uuid not null,
  network text not null,
  asset text not null,
  payment_method_id integer not null,
  source text not null,
  amount_minor numeric(78,0) not null,
  state text not null default 'pending'::text,
  tx_hash text,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint take_out_pkey PRIMARY KEY (id),
  constraint take_out_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint take_out_check CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint take_out_check1 CHECK (((state <> 'completed'::text) OR (tx_hash IS NOT NULL))),
  constraint take_out_source_check CHECK ((source = ANY (ARRAY['capital'::text, 'fees'::text, 'forfeited'::text]))),
  constraint take_out_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX take_out_created ON public.take_out USING btree (created_at, id);
CREATE INDEX take_out_pending ON public.take_out USING btree (network, created_at, id) WHERE (state = 'pending'::text);

create table tampering (
  id bigint not null generated always as identity,
  subject text not null,
  detail text not null,
  found_at timestamp(3) with time zone not null default now(),
  constraint tampering_pkey PRIMARY KEY (id),
  constraint tampering_subject_unique UNIQUE (subject)
);

create table tampering_halt (
  tampering_id bigint not null,
  constraint tampering_halt_pkey PRIMARY KEY (tampering_id),
  constraint tampering_halt_tampering_id_fkey FOREIGN KEY (tampering_id) REFERENCES tampering(id)
);

create table transaction (
  id uuid not null,
  network text not null,
  transfer_key text not null,
  tx_hash text not null,
  asset text not null,
  payment_method_id integer not null,
  address_id bigint,
  merchant_id uuid,
  invoice_id uuid,
  sender text,
  recipient text not null,
  amount_minor numeric(78,0) not null,
  amount numeric not null,
  state text not null default 'pending'::text,
  inclusion integer not null,
  block_height bigint,
  block_hash text,
  block_place integer,
  included_at timestamp(3) with time zone,
  in_time_at timestamp(3) with time zone not null,
  full_minor numeric(78,0),
  price numeric(40,0),
  fee_percent_basis_points integer not null,
  fee_flat_minor numeric(78,0) not null,
  fee_minor numeric(78,0),
  net_minor numeric(78,0),
  below_minimum boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  confirmed_at timestamp(3) with time zone,
  sweep_id uuid,
  aml_verdict text,
  quarantine text,
  first_seen_at timestamp(3) with time zone,
  unseen_since timestamp(3) with time zone,
  replaced_by text,
  replaced_height bigint,
  failures integer not null default 0,
  matures_after integer not null default 1,
  mac text not null default ''::text,
  origin text,
  listed_address text,
  proven_inclusion integer,
  constraint transaction_pkey PRIMARY KEY (id),
  constraint transaction_transfer_unique UNIQUE (network, transfer_key),
  constraint transaction_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint transaction_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint transaction_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint transaction_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id),
  constraint transaction_address_known CHECK (((address_id IS NOT NULL) OR (merchant_id IS NULL))),
  constraint transaction_aml_verdict_check CHECK ((aml_verdict = ANY (ARRAY['passed'::text, 'listed'::text, 'unknown'::text, 'implausible'::text]))),
  constraint transaction_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint transaction_check CHECK (((merchant_id IS NULL) = (invoice_id IS NULL))),
  constraint transaction_check1 CHECK (((block_height IS NULL) = (block_hash IS NULL))),
  constraint transaction_check2 CHECK (((block_height IS NULL) = (included_at IS NULL))),
  constraint transaction_check3 CHECK (((state = 'confirmed'::text) = (confirmed_at IS NOT NULL))),
  constraint transaction_check4 CHECK (((state <> 'confirmed'::text) OR (block_height IS NOT NULL))),
  constraint transaction_included_stands CHECK (((block_height IS NULL) OR (num_nonnulls(unseen_since, replaced_by) = 0))),
  constraint transaction_inclusion_check CHECK (((inclusion >= 0) AND ((inclusion > 0) OR (block_height IS NULL)))),
  constraint transaction_matures_after_check CHECK ((matures_after > 0)),
  constraint transaction_quarantine_check CHECK ((quarantine = ANY (ARRAY['held'::text, 'released'::text, 'seized'::text]))),
  constraint transaction_quarantine_confirmed CHECK (((quarantine IS NULL) OR ((state = 'confirmed'::text) AND (merchant_id IS NOT NULL)))),
  constraint transaction_quarantine_uncredited CHECK (((quarantine <> ALL (ARRAY['held'::text, 'seized'::text])) OR ((net_minor IS NULL) AND (NOT below_minimum)))),
  constraint transaction_replaced_known CHECK (((replaced_height IS NULL) OR (replaced_by IS NOT NULL))),
  constraint transaction_seen CHECK (((inclusion > 0) OR (first_seen_at IS NOT NULL))),
  constraint transaction_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'confirmed'::text, 'failed'::text])))
);
CREATE INDEX transaction_address ON public.transaction USING btree (address_id) WHERE (address_id IS NOT NULL);
CREATE INDEX transaction_block ON public.transaction USING btree (network, block_height);
CREATE INDEX transaction_blockless ON public.transaction USING btree (network) WHERE ((block_height IS NULL) AND (state = 'pending'::text));
CREATE INDEX transaction_by_amount ON public.transaction USING btree (merchant_id, amount, id);
CREATE INDEX transaction_by_confirmation ON public.transaction USING btree (merchant_id, confirmed_at, id) WHERE (confirmed_at IS NOT NULL);
CREATE INDEX transaction_hash ON public.transaction USING btree (network, tx_hash);
CREATE INDEX transaction_invoice ON public.transaction USING btree (invoice_id);
CREATE INDEX transaction_merchant_created ON public.transaction USING btree (merchant_id, created_at, id);
CREATE INDEX transaction_quarantined ON public.transaction USING btree (confirmed_at, id) WHERE (quarantine = 'held'::text);
CREATE INDEX transaction_replaced ON public.transaction USING btree (network, replaced_height) WHERE (replaced_height IS NOT NULL);
CREATE INDEX transaction_suspect ON public.transaction USING btree (address_id) WHERE ((aml_verdict <> 'passed'::text) AND (quarantine IS DISTINCT FROM 'released'::text));
CREATE INDEX transaction_sweep ON public.transaction USING btree (sweep_id) WHERE (sweep_id IS NOT NULL);
CREATE INDEX transaction_unconfirmed ON public.transaction USING btree (network, block_height) WHERE ((state = 'pending'::text) AND (block_height IS NOT NULL));
CREATE INDEX transaction_unproven ON public.transaction USING btree (network, block_height, block_place) WHERE ((state = 'confirmed'::text) AND (proven_inclusion IS DISTINCT FROM inclusion));
CREATE INDEX transaction_unscreened ON public.transaction USING btree (id) WHERE ((aml_verdict = 'unknown'::text) AND (block_height IS NOT NULL) AND (quarantine IS DISTINCT FROM 'seized'::text));
CREATE INDEX transaction_unswept ON public.transaction USING btree (network, asset, address_id) INCLUDE (amount_minor, merchant_id, confirmed_at) WHERE ((sweep_id IS NULL) AND (state = 'confirmed'::text) AND (address_id IS NOT NULL));
CREATE TRIGGER payments_summed_in AFTER INSERT ON public.transaction REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();
CREATE TRIGGER payments_summed_out AFTER DELETE ON public.transaction REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();
CREATE TRIGGER payments_summed_over AFTER UPDATE ON public.transaction REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();
CREATE TRIGGER transaction_counted_in AFTER INSERT ON public.transaction REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER transaction_counted_over AFTER UPDATE ON public.transaction REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();

create table transaction_count (
  merchant_id uuid not null,
  scale text not null,
  bucket integer not null,
  payment_method_id integer not null,
  state text not null,
  transactions bigint not null,
  constraint transaction_count_pkey PRIMARY KEY (merchant_id, scale, bucket, payment_method_id, state),
  constraint transaction_count_scale_check CHECK ((scale = ANY (ARRAY['day'::text, 'days'::text])))
);

create table transaction_count_change (
  merchant_id uuid not null,
  day integer not null,
  payment_method_id integer not null,
  state text not null,
  difference bigint not null
);
CREATE INDEX transaction_count_change_merchant ON public.transaction_count_change USING btree (merchant_id);

create table transaction_spend (
  network text not null,
  outpoint text not null,
  spender_hash text not null,
  tx_hash text not null,
  constraint transaction_spend_pkey PRIMARY KEY (network, outpoint, tx_hash)
);
CREATE INDEX transaction_spend_payment ON public.transaction_spend USING btree (network, tx_hash);

create table webhook_endpoint (
  merchant_id uuid not null,
  url text not null,
  sealed_secret bytea not null,
  token text not null,
  created_at timestamp(3) with time zone not null default now(),
  disabled_at timestamp(3) with time zone,
  former_sealed_secret bytea,
  former_valid_until timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  failures integer not null default 0,
  disabled_reason text,
  rest_until timestamp(3) with time zone,
  constraint webhook_endpoint_pkey PRIMARY KEY (merchant_id),
  constraint webhook_endpoint_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint webhook_endpoint_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhook_endpoint_former_check CHECK (((former_sealed_secret IS NULL) = (former_valid_until IS NULL)))
);
CREATE INDEX webhook_endpoint_former ON public.webhook_endpoint USING btree (former_valid_until) WHERE (former_valid_until IS NOT NULL);

create table withdrawal (
  id uuid not null,
  merchant_id uuid not null,
  payment_method_id integer not null,
  asset text not null,
  address text not null,
  amount_minor numeric(78,0) not null,
  amount numeric not null,
  fee_minor numeric(78,0) not null,
  state text not null default 'pending'::text,
  stage text default 'queued'::text,
  tx_hash text,
  invoice_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  approval_mac text,
  waits_for text,
  released_at timestamp(3) with time zone,
  end_reason text,
  end_explanation text,
  retaken_at timestamp(3) with time zone,
  failure_coin_price_usd numeric(38,0),
  failure_asset_price_usd numeric(38,0),
  network_cost_minor numeric(78,0),
  gas_budget_cost_minor numeric(78,0),
  gas_budget_retry_at timestamp(3) with time zone,
  order_signature text,
  release_signature text,
  approved_at timestamp(3) with time zone,
  planned_at timestamp(3) with time zone,
  constraint withdrawal_pkey PRIMARY KEY (id),
  constraint withdrawal_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint withdrawal_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint withdrawal_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint withdrawal_check CHECK (((fee_minor >= (0)::numeric) AND (fee_minor < amount_minor))),
  constraint withdrawal_check1 CHECK (((state = 'pending'::text) = (stage IS NOT NULL))),
  constraint withdrawal_check2 CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint withdrawal_check3 CHECK (((state <> 'completed'::text) OR (tx_hash IS NOT NULL))),
  constraint withdrawal_end_reason_check CHECK ((end_reason = ANY (ARRAY['merchant'::text, 'payout'::text, 'shortfall'::text, 'operator'::text, 'screening'::text]))),
  constraint withdrawal_failure_asset_price_usd_check CHECK ((failure_asset_price_usd > (0)::numeric)),
  constraint withdrawal_failure_coin_price_usd_check CHECK ((failure_coin_price_usd > (0)::numeric)),
  constraint withdrawal_failure_prices CHECK (((failure_coin_price_usd IS NULL) = (failure_asset_price_usd IS NULL))),
  constraint withdrawal_gas_budget_cost_minor_check CHECK ((gas_budget_cost_minor >= (0)::numeric)),
  constraint withdrawal_network_cost_minor_check CHECK ((network_cost_minor > (0)::numeric)),
  constraint withdrawal_order_signature_check CHECK ((order_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$'::text)),
  constraint withdrawal_release_signature_check CHECK ((release_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$'::text)),
  constraint withdrawal_stage_check CHECK ((stage = ANY (ARRAY['queued'::text, 'approved'::text, 'planned'::text, 'signed'::text, 'broadcast'::text, 'in_doubt'::text]))),
  constraint withdrawal_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint withdrawal_waits_for_check CHECK ((waits_for = ANY (ARRAY['debt'::text, 'funds'::text, 'screening'::text, 'rate'::text, 'operator'::text, 'gas-budget'::text]))),
  constraint withdrawal_waits_while_queued CHECK (((waits_for IS NULL) OR ((waits_for <> 'gas-budget'::text) AND (stage = 'queued'::text)) OR ((waits_for = 'gas-budget'::text) AND (stage = ANY (ARRAY['approved'::text, 'planned'::text])) AND (gas_budget_cost_minor IS NOT NULL) AND (gas_budget_retry_at IS NOT NULL))))
);
CREATE INDEX withdrawal_approved_of_merchant ON public.withdrawal USING btree (merchant_id, approved_at) WHERE ((approved_at IS NOT NULL) AND (released_at IS NULL));
CREATE INDEX withdrawal_approved_to ON public.withdrawal USING btree (address, approved_at) WHERE ((approved_at IS NOT NULL) AND (released_at IS NULL));
CREATE UNIQUE INDEX withdrawal_claim_unique ON public.withdrawal USING btree (invoice_id) WHERE ((invoice_id IS NOT NULL) AND (state = ANY (ARRAY['pending'::text, 'completed'::text])));
CREATE INDEX withdrawal_ended ON public.withdrawal USING btree (merchant_id, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX withdrawal_for_operator ON public.withdrawal USING btree (created_at, id) WHERE (waits_for = ANY (ARRAY['rate'::text, 'operator'::text]));
CREATE INDEX withdrawal_gas_budget ON public.withdrawal USING btree (asset, created_at, id) WHERE (waits_for = 'gas-budget'::text);
CREATE INDEX withdrawal_lookalike ON public.withdrawal USING btree (merchant_id, "left"(address, 6), "right"(address, 4));
CREATE INDEX withdrawal_merchant_created ON public.withdrawal USING btree (merchant_id, created_at, id);
CREATE INDEX withdrawal_open ON public.withdrawal USING btree (merchant_id, asset, created_at, id) WHERE (state = 'pending'::text);
CREATE INDEX withdrawal_planned ON public.withdrawal USING btree (merchant_id, asset, planned_at) WHERE (planned_at IS NOT NULL);
CREATE INDEX withdrawal_queue ON public.withdrawal USING btree (asset, created_at, id) WHERE (stage = 'queued'::text);
CREATE INDEX withdrawal_to_send ON public.withdrawal USING btree (asset, created_at, id) WHERE (stage = 'approved'::text);
CREATE TRIGGER withdrawal_keeps_approval_times BEFORE UPDATE OF approved_at, released_at ON public.withdrawal FOR EACH ROW EXECUTE FUNCTION keep_approval_times();

CREATE OR REPLACE FUNCTION public.count_invoices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, 1
    from added where deleted_at is null;
  elsif tg_op = 'DELETE' then
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
      archived_at is not null, created_at, amount_usd, -1
    from removed where deleted_at is null;
  else
    insert into invoice_count_change
    select merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived, created_at, amount_usd,
      sum(difference)
    from (
      select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, '') as collect_state,
        archived_at is not null as is_archived, created_at, amount_usd, 1 as difference
      from added where deleted_at is null
      union all
      select merchant_id, payment_method_ids, type, state, aml_ok, coalesce(collect_state, ''),
        archived_at is not null, created_at, amount_usd, -1
      from removed where deleted_at is null
    ) change
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    having sum(difference) <> 0;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_transactions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into transaction_count_change
    select merchant_id, day_since_1970(created_at), payment_method_id, state, count(*)
    from added
    join (
      select id from invoice where id in (select invoice_id from added) and deleted_at is null order by id for key share
    ) shown on shown.id = invoice_id
    group by 1, 2, 3, 4;
  else
    with changed as materialized (
      select invoice_id, merchant_id, day_since_1970(created_at) as day, payment_method_id, state, sum(sign) as difference
      from (
        select invoice_id, merchant_id, created_at, payment_method_id, state, 1 as sign
        from added where invoice_id is not null
        union all
        select invoice_id, merchant_id, created_at, payment_method_id, state, -1
        from removed where invoice_id is not null
      ) change
      group by 1, 2, 3, 4, 5 having sum(sign) <> 0
    )
    insert into transaction_count_change
    select merchant_id, day, payment_method_id, state, sum(difference)
    from changed
    join (
      select id from invoice where id in (select invoice_id from changed) and deleted_at is null order by id for key share
    ) shown on shown.id = invoice_id
    group by 1, 2, 3, 4 having sum(difference) <> 0;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.count_transactions_of_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from invoice where id = new.id for update;
  insert into transaction_count_change
  select merchant_id, day_since_1970(created_at), payment_method_id, state,
    case when new.deleted_at is null then count(*) else -count(*) end
  from transaction where invoice_id = new.id
  group by 1, 2, 3, 4;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.current_wal_timeline()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint
$function$;

CREATE OR REPLACE FUNCTION public.day_since_1970(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select floor(extract(epoch from at) / 86400)::integer
$function$;

CREATE OR REPLACE FUNCTION public.event_counter_begins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_gap (merchant_id, after_sequence, resumes_after) values (new.merchant_id, 0, 1000000);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.event_counter_leap()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.last_sequence := new.last_sequence + 1000000;
  insert into event_gap (merchant_id, after_sequence, resumes_after)
  values (old.merchant_id, old.last_sequence, old.last_sequence + 1000000);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.invoice_scales(created_at timestamp with time zone, amount_usd numeric)
 RETURNS TABLE(scale text, bucket integer)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select scale, bucket from (
    select floor(extract(epoch from created_at) / 86400)::integer as day,
      length(amount_usd::text) * 10000 + rpad(left(amount_usd::text, 4), 4, '0')::integer as four
  ) fine cross join lateral (values
    ('day', day), ('days', floor(day / 32.0)::integer), ('amount', four), ('amounts', four / 100)
  ) scales (scale, bucket)
$function$;

CREATE OR REPLACE FUNCTION public.journal_must_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The asset by a scalar look-up: a join would be planned as a scan of all accounts on tables without statistics.
  perform from (
    select count(*) as lines, sum(line.debit) = sum(line.credit) as balances
    from (
      select debit, credit, (select asset from ledger_account where id = account_id)
      from journal_line where journal_id = new.id
    ) line
    group by line.asset
  ) asset
  having sum(asset.lines) >= 2 and bool_and(asset.balances);
  if not found then
    raise exception 'journal % does not balance', new.id using errcode = 'check_violation';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.journal_must_be_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from (select distinct journal_id from added) line
    join journal on journal.id = line.journal_id
    where journal.xmin::text <> pg_current_xact_id_if_assigned()::xid::text
  ) then
    raise exception 'lines cannot be added to a posted journal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_approval_times()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.approved_at is distinct from old.approved_at
    and (new.approved_at is null or new.approved_at < greatest(old.approved_at, now() - interval '1 minute')) then
    raise exception 'the approval of withdrawal % cannot be moved into the past', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.released_at is distinct from old.released_at and old.stage is distinct from 'queued' then
    raise exception 'withdrawal % is not queued any more: it cannot be released', old.id using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_invoice_text()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into invoice_text (invoice_id, merchant_id, search_text)
  values (new.id, new.merchant_id, new.search_text)
  on conflict (invoice_id) do update set search_text = excluded.search_text;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.sum_payments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, count(*), sum(amount_minor),
      sum(amount_minor * coalesce(price, 0)), count(*) filter (where price is null)
    from added
    where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, -count(*), -sum(amount_minor),
      -sum(amount_minor * coalesce(price, 0)), -count(*) filter (where price is null)
    from removed
    where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    group by 1, 2, 3;
  else
    insert into payment_day_change
    select merchant_id, (confirmed_at at time zone 'UTC')::date, payment_method_id, sum(sign), sum(sign * amount_minor),
      sum(sign * amount_minor * coalesce(price, 0)), coalesce(sum(sign) filter (where price is null), 0)
    from (
      select merchant_id, confirmed_at, payment_method_id, amount_minor, price, 1 as sign
      from added
      where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
      union all
      select merchant_id, confirmed_at, payment_method_id, amount_minor, price, -1
      from removed
      where state = 'confirmed' and merchant_id is not null and coalesce(quarantine, 'released') = 'released'
    ) change
    group by 1, 2, 3
    having sum(sign) <> 0 or sum(sign * amount_minor) <> 0 or sum(sign * amount_minor * coalesce(price, 0)) <> 0
      or sum(sign) filter (where price is null) <> 0;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.unsealed_must_be_sealed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from removed where not exists (select from journal_seal where journal_seal.journal_id = removed.journal_id)) then
    raise exception 'a journal is taken off the list of journal_unsealed without a seal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;
