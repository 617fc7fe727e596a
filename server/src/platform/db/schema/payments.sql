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
  constraint address_derivation_unique UNIQUE (family, branch, index),
  constraint address_invoice_method_unique UNIQUE (invoice_id, payment_method_id),
  constraint address_unique UNIQUE (family, address),
  constraint address_family_branch_fkey FOREIGN KEY (family, branch) REFERENCES address_branch(family, branch),
  constraint address_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint address_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint address_check CHECK (((assigned_at IS NULL) = (invoice_id IS NULL))),
  constraint address_check1 CHECK (((assigned_at IS NULL) = (merchant_id IS NULL))),
  constraint address_check2 CHECK (((assigned_at IS NULL) = (payment_method_id IS NULL))),
  constraint address_index_check CHECK ((index >= 0))
);
comment on table address is 'An address derived from a deposit xpub, with its derivation path. An address that is assigned to an invoice stays assigned to it for ever, and it is watched even after the invoice and the merchant are deleted. An unassigned address may be deleted once the process that derived it is gone.';
comment on column address.family is 'The address family: `evm`, or the name of the network on UTXO chains.';
comment on column address.address is 'The address is in canonical form.';
comment on column address.branch is 'The branch and the index below it are the end of the derivation path: `.../0''/<branch>/<index>`.';
comment on column address.mac is 'HMAC-SHA256 over family, branch, index and address, under a key derived from ENCRYPTION_KEY. An address without a valid MAC is never shown to a payer.';
comment on column address.network is 'The network for which the address is assigned; null until then. It differs from the family on EVM chains only.';
comment on column address.merchant_id is 'Null until the address is assigned, as are invoice_id, payment_method_id and assigned_at.';
comment on column address.assignment_mac is 'MAC under a key of the books over the derivation path, the address, the network, the invoice, the payment method, the merchant and the amount of the invoice. It is null until the address is assigned; without a valid MAC nobody is credited for a deposit to the address.';
CREATE INDEX address_free ON public.address USING btree (family, branch, index) WHERE (assigned_at IS NULL);

create table address_branch (
  family text not null,
  branch bigint not null,
  xpub_fingerprint text not null,
  database_id uuid not null,
  server_started_at timestamp with time zone not null,
  opened_at timestamp with time zone not null default coffer_now(),
  next_index bigint not null default 0,
  used_at timestamp(3) with time zone not null default coffer_now(),
  constraint address_branch_pkey PRIMARY KEY (family, branch),
  constraint address_branch_branch_check CHECK (((branch >= 0) AND (branch < '2147483648'::bigint)))
);
comment on table address_branch is 'A derivation branch of an address family, opened once by one process and never opened again. Its addresses are assigned only while the database server that was running then has neither restarted nor been restored.';
comment on column address_branch.branch is 'Seconds between 2020-01-01 UTC and the opening of the branch.';
comment on column address_branch.xpub_fingerprint is 'The first 16 hex digits of the SHA-256 of the account xpub.';
comment on column address_branch.database_id is 'The id in database_identity when the branch was opened; the nil UUID for a branch that recovery inserted after a loss of history.';
comment on column address_branch.server_started_at is 'When the database server had started that was running when the branch was opened; -infinity for a branch that recovery inserted, whose addresses are watched but never assigned.';
comment on column address_branch.next_index is 'The next index to derive. Indexes below it may have been derived, and are never derived again for assigning.';
comment on column address_branch.used_at is 'When the process that opened the branch last reported that it is running. Unassigned addresses of a branch are deleted some hours after the last report.';

create table attested_xpub (
  family text not null,
  xpub_fingerprint text not null,
  attested_at timestamp(3) with time zone not null default coffer_now(),
  constraint attested_xpub_pkey PRIMARY KEY (family)
);
comment on table attested_xpub is 'The account xpub of an address family whose keys the signer says it holds. Addresses of another xpub are not assigned; without a row, any xpub is accepted.';
comment on column attested_xpub.xpub_fingerprint is 'The fingerprint in the form of address_branch.xpub_fingerprint.';
comment on column attested_xpub.attested_at is 'When this xpub was first attested; a later attestation of the same xpub does not change it.';

create table attribution (
  deposit_id uuid not null,
  merchant_id uuid,
  fee_percent_basis_points integer not null,
  fee_flat_minor numeric(78,0) not null,
  made_at timestamp(3) with time zone not null default coffer_now(),
  mac text not null default ''::text,
  constraint attribution_pkey PRIMARY KEY (deposit_id),
  constraint attribution_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposit(id),
  constraint attribution_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint attribution_check CHECK (((merchant_id IS NOT NULL) OR ((fee_percent_basis_points = 0) AND (fee_flat_minor = (0)::numeric)))),
  constraint attribution_fee_flat_minor_check CHECK ((fee_flat_minor >= (0)::numeric)),
  constraint attribution_fee_percent_basis_points_check CHECK (((fee_percent_basis_points >= 0) AND (fee_percent_basis_points <= 10000)))
);
comment on table attribution is 'The decision whose money an unattributed deposit is. It is applied again each time the deposit is confirmed anew.';
comment on column attribution.merchant_id is 'Null if the money is the operator''s own.';
comment on column attribution.fee_percent_basis_points is 'The share that the merchant pays as a fee, in hundredths of a percent of the deposit.';
comment on column attribution.fee_flat_minor is 'The fixed part of the fee, in the asset''s smallest unit.';
comment on column attribution.mac is 'MAC under a key of the books over the deposit, the merchant and the fee. A row without a valid MAC is recorded as tampering and nothing is booked for it.';

create table capital_source (
  network text not null,
  address text not null,
  constraint capital_source_pkey PRIMARY KEY (network, address)
);
comment on table capital_source is 'An address whose transfers to a hot wallet are the operator''s own money, and so are attributed as capital at once. Adding one writes an entry to audit_entry.';
comment on column capital_source.address is 'The address is in canonical form.';

create table deposit (
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
  block_position integer,
  included_at timestamp(3) with time zone,
  in_time_at timestamp(3) with time zone not null,
  full_minor numeric(78,0),
  price numeric(40,0),
  fee_percent_basis_points integer not null,
  fee_flat_minor numeric(78,0) not null,
  fee_minor numeric(78,0),
  net_minor numeric(78,0),
  below_minimum boolean not null default false,
  created_at timestamp(3) with time zone not null default coffer_now(),
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
  constraint deposit_pkey PRIMARY KEY (id),
  constraint deposit_transfer_unique UNIQUE (network, transfer_key),
  constraint deposit_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint deposit_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint deposit_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint deposit_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id),
  constraint deposit_address_known CHECK (((address_id IS NOT NULL) OR (merchant_id IS NULL))),
  constraint deposit_aml_verdict_check CHECK ((aml_verdict = ANY (ARRAY['passed'::text, 'listed'::text, 'unknown'::text, 'implausible'::text]))),
  constraint deposit_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint deposit_check CHECK (((merchant_id IS NULL) = (invoice_id IS NULL))),
  constraint deposit_check1 CHECK (((block_height IS NULL) = (block_hash IS NULL))),
  constraint deposit_check2 CHECK (((block_height IS NULL) = (included_at IS NULL))),
  constraint deposit_check3 CHECK (((state = 'confirmed'::text) = (confirmed_at IS NOT NULL))),
  constraint deposit_check4 CHECK (((state <> 'confirmed'::text) OR (block_height IS NOT NULL))),
  constraint deposit_included_stands CHECK (((block_height IS NULL) OR (num_nonnulls(unseen_since, replaced_by) = 0))),
  constraint deposit_inclusion_check CHECK (((inclusion >= 0) AND ((inclusion > 0) OR (block_height IS NULL)))),
  constraint deposit_matures_after_check CHECK ((matures_after > 0)),
  constraint deposit_quarantine_check CHECK ((quarantine = ANY (ARRAY['held'::text, 'released'::text, 'seized'::text]))),
  constraint deposit_quarantine_confirmed CHECK (((quarantine IS NULL) OR ((state = 'confirmed'::text) AND (merchant_id IS NOT NULL)))),
  constraint deposit_quarantine_uncredited CHECK (((quarantine <> ALL (ARRAY['held'::text, 'seized'::text])) OR ((net_minor IS NULL) AND (NOT below_minimum)))),
  constraint deposit_replaced_known CHECK (((replaced_height IS NULL) OR (replaced_by IS NOT NULL))),
  constraint deposit_seen CHECK (((inclusion > 0) OR (first_seen_at IS NOT NULL))),
  constraint deposit_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'confirmed'::text, 'failed'::text])))
);
comment on table deposit is 'A transfer of a listed asset to an address of ours. The row stays the same when the transaction leaves its block, waits in a mempool or is mined again; the wire and the specification call it a transaction.';
comment on column deposit.transfer_key is 'Identifies the transfer within its own transaction: `<hash>:log:<index>` or `<hash>:call:<index>` on EVM, and the outpoint `<txid>:<vout>` on UTXO chains. It stays the same if the transaction is mined in another block. `balance:<chain id>:<address>:<height>` for money that was found by comparing the balance at that block.';
comment on column deposit.tx_hash is 'The hash of the transaction. It equals transfer_key if the deposit was found by balance, because its transactions are not known.';
comment on column deposit.asset is 'The asset as `<network>/<symbol>`.';
comment on column deposit.address_id is 'Null for a deposit to a hot wallet.';
comment on column deposit.merchant_id is 'Null for money that belongs to no invoice. It is kept as unattributed until an attribution says whose it is, and the attribution does not change this column.';
comment on column deposit.sender is 'Null if the transfer has no single sender.';
comment on column deposit.amount_minor is 'The amount in the asset''s smallest unit.';
comment on column deposit.amount is 'The same amount in whole units, by which lists with several assets are sorted.';
comment on column deposit.state is '`pending`: in no block, or in a block without enough confirmations. `confirmed`: it has enough confirmations and is booked. `failed`: another transaction that spends the same money is in a final block. A reorganisation makes it pending again.';
comment on column deposit.inclusion is 'How often the deposit has entered a canonical block; 0 while it waits for its first. Journals and events carry it in their subjects.';
comment on column deposit.block_height is 'The canonical block that holds it; null while none does, as are block_hash and included_at.';
comment on column deposit.block_position is 'The position among the deposits of its block, which is the order in which payments count.';
comment on column deposit.included_at is 'The time in the header of that block.';
comment on column deposit.in_time_at is 'The earliest time at which the deposit was seen in a mempool or mined. It decides whether the payment is in time, and a reorganisation never makes it later.';
comment on column deposit.full_minor is 'The amount in the asset''s smallest unit that pays the whole invoice at this deposit''s price; null if the deposit pays nothing of an invoice.';
comment on column deposit.price is 'The price at which the payment is valued, in 10^-12 USD per whole unit; null if there is none.';
comment on column deposit.fee_percent_basis_points is 'The percentage of the fee as agreed when the deposit was first seen, in hundredths of a percent.';
comment on column deposit.fee_flat_minor is 'The fixed part of the fee as agreed when the deposit was first seen, in the asset''s smallest unit.';
comment on column deposit.fee_minor is 'The fee that was charged, in the asset''s smallest unit; null until the deposit is credited.';
comment on column deposit.net_minor is 'The amount that was credited to the merchant, in the asset''s smallest unit; null until then.';
comment on column deposit.below_minimum is 'Whether the deposit was confirmed but too small to credit by itself. It is credited once the deposits of its invoice add up to the minimum, and net_minor is null until then.';
comment on column deposit.confirmed_at is 'Null unless the deposit is confirmed. A deposit that is confirmed again gets a new time.';
comment on column deposit.sweep_id is 'The sweep that is to take the deposit from its address, or that took it; null while the deposit stays on its address.';
comment on column deposit.aml_verdict is 'The result of screening those who paid. `unknown`: they could not be screened so far. `implausible`: the amount is larger than anybody can have sent. Null means that screening was off.';
comment on column deposit.quarantine is '`held`: the money is kept apart until an operator decides. `released`: the merchant has it. `seized`: it is the operator''s. Null means that the deposit was never in quarantine since it entered its current block.';
comment on column deposit.first_seen_at is 'When a watched mempool first contained the transaction; null if none did.';
comment on column deposit.unseen_since is 'Since when neither a canonical block nor a watched mempool contains it; null while one does.';
comment on column deposit.replaced_by is 'The hash of a transaction that spends the same money, so only one of the two is ever mined; null if none is known.';
comment on column deposit.replaced_height is 'The height of the block with that transaction; null while it is in no block.';
comment on column deposit.failures is 'How often the deposit failed, which only a deep reorganisation undoes. Events carry the number in their subjects.';
comment on column deposit.matures_after is 'The number of confirmations, its own block counted, before the chain lets the output be spent: 1, except for a coinbase.';
comment on column deposit.mac is 'MAC under a key of the books over the facts that decide who is credited how much. They are id, network, transfer_key, tx_hash, asset, payment method, merchant, invoice, sender, recipient, amount_minor, inclusion, full_minor, price and the agreed fee. It is renewed with each inclusion; nothing is booked for a row without a valid MAC.';
comment on column deposit.origin is 'The account that signed the transaction, if it is known and not the sender, as in a payment through a contract; otherwise null.';
comment on column deposit.listed_address is 'The sender or the origin, whichever is on a sanctions list; null if neither is.';
comment on column deposit.proven_inclusion is 'The inclusion that the role `payouts` has verified with its own nodes in a final block; null if none. The deposit counts as proven only while this equals `inclusion`.';
CREATE INDEX deposit_address ON public.deposit USING btree (address_id) WHERE (address_id IS NOT NULL);
CREATE INDEX deposit_block ON public.deposit USING btree (network, block_height);
CREATE INDEX deposit_blockless ON public.deposit USING btree (network) WHERE ((block_height IS NULL) AND (state = 'pending'::text));
CREATE INDEX deposit_by_amount ON public.deposit USING btree (merchant_id, amount, id);
CREATE INDEX deposit_by_confirmation ON public.deposit USING btree (merchant_id, confirmed_at, id) WHERE (confirmed_at IS NOT NULL);
CREATE INDEX deposit_hash ON public.deposit USING btree (network, tx_hash);
CREATE INDEX deposit_invoice ON public.deposit USING btree (invoice_id);
CREATE INDEX deposit_merchant_created ON public.deposit USING btree (merchant_id, created_at, id);
CREATE INDEX deposit_quarantined ON public.deposit USING btree (confirmed_at, id) WHERE (quarantine = 'held'::text);
CREATE INDEX deposit_replaced ON public.deposit USING btree (network, replaced_height) WHERE (replaced_height IS NOT NULL);
CREATE INDEX deposit_suspect ON public.deposit USING btree (address_id) WHERE ((aml_verdict <> 'passed'::text) AND (quarantine IS DISTINCT FROM 'released'::text));
CREATE INDEX deposit_sweep ON public.deposit USING btree (sweep_id) WHERE (sweep_id IS NOT NULL);
CREATE INDEX deposit_unconfirmed ON public.deposit USING btree (network, block_height) WHERE ((state = 'pending'::text) AND (block_height IS NOT NULL));
CREATE INDEX deposit_unproven ON public.deposit USING btree (network, block_height, block_position) WHERE ((state = 'confirmed'::text) AND (proven_inclusion IS DISTINCT FROM inclusion));
CREATE INDEX deposit_unscreened ON public.deposit USING btree (id) WHERE ((aml_verdict = 'unknown'::text) AND (block_height IS NOT NULL) AND (quarantine IS DISTINCT FROM 'seized'::text));
CREATE INDEX deposit_unswept ON public.deposit USING btree (network, asset, address_id) INCLUDE (amount_minor, merchant_id, confirmed_at) WHERE ((sweep_id IS NULL) AND (state = 'confirmed'::text) AND (address_id IS NOT NULL));
CREATE TRIGGER deposit_counted_in AFTER INSERT ON public.deposit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_deposits();
CREATE TRIGGER deposit_counted_over AFTER UPDATE ON public.deposit REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_deposits();
CREATE TRIGGER payments_summed_in AFTER INSERT ON public.deposit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();
CREATE TRIGGER payments_summed_out AFTER DELETE ON public.deposit REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();
CREATE TRIGGER payments_summed_over AFTER UPDATE ON public.deposit REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_payments();

create table deposit_count (
  merchant_id uuid not null,
  scale text not null,
  bucket integer not null,
  payment_method_id integer not null,
  state text not null,
  deposits bigint not null,
  constraint deposit_count_pkey PRIMARY KEY (merchant_id, scale, bucket, payment_method_id, state),
  constraint deposit_count_scale_check CHECK ((scale = ANY (ARRAY['day'::text, 'days'::text])))
) with (fillfactor=50);
comment on table deposit_count is 'The number of deposits that a merchant sees, by payment method, state and days of creation. Deposits of deleted invoices are not counted. An exact total is the sum of this table and deposit_count_change in one snapshot.';
comment on column deposit_count.scale is '`day` or `days`: whether the bucket is one day or 32 days. Every deposit is counted once in each scale.';
comment on column deposit_count.bucket is 'Days since 1970-01-01 UTC for `day`, and that number divided by 32 and rounded down for `days`.';

create table deposit_count_change (
  merchant_id uuid not null,
  day integer not null,
  payment_method_id integer not null,
  state text not null,
  difference bigint not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
comment on table deposit_count_change is 'A change of the counts of deposits that is not yet added to deposit_count. Triggers on deposit and invoice insert rows, so writers do not wait for each other; aggregation moves them into the counts.';
comment on column deposit_count_change.day is 'The day on which the deposits were created, in days since 1970-01-01 UTC.';
comment on column deposit_count_change.difference is 'How many deposits are added to the count; below zero if they are taken off.';
CREATE INDEX deposit_count_change_merchant ON public.deposit_count_change USING btree (merchant_id);

create table deposit_pause (
  network text not null,
  depth bigint not null,
  paused_at timestamp(3) with time zone not null default coffer_now(),
  until_height bigint not null,
  constraint deposit_pause_pkey PRIMARY KEY (network),
  constraint deposit_pause_depth_check CHECK ((depth > 0))
);
comment on table deposit_pause is 'A network on which no deposit is credited for a while, because a deep reorganisation happened. Deposits are still recorded.';
comment on column deposit_pause.depth is 'The number of blocks that were undone; the highest number if a pause was extended.';
comment on column deposit_pause.until_height is 'The height at which crediting resumes by itself.';

create table explained_transfer (
  network text not null,
  transfer_key text not null,
  deposit_id uuid not null,
  tx_hash text not null,
  recipient text not null,
  amount_minor numeric(78,0) not null,
  block_height bigint not null,
  explained_at timestamp(3) with time zone not null default coffer_now(),
  constraint explained_transfer_pkey PRIMARY KEY (network, transfer_key),
  constraint explained_transfer_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposit(id),
  constraint explained_transfer_amount_minor_check CHECK ((amount_minor > (0)::numeric))
);
comment on table explained_transfer is 'A transfer of coin that was read later in a block below a deposit that was found by balance. The deposit contains its amount, so it is never booked.';
comment on column explained_transfer.transfer_key is 'Identifies the transfer, in the form of deposit.transfer_key.';
comment on column explained_transfer.amount_minor is 'In the coin''s smallest unit.';
CREATE INDEX explained_transfer_deposit ON public.explained_transfer USING btree (deposit_id);

create table full_payment (
  invoice_id uuid not null,
  deposit_id uuid not null,
  constraint full_payment_pkey PRIMARY KEY (invoice_id, deposit_id),
  constraint full_payment_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposit(id),
  constraint full_payment_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id)
);
comment on table full_payment is 'A deposit that was reported to its merchant as a full payment of a reusable invoice by `invoice.paid`, and was not reverted since. The row is deleted when `invoice.reverted` is reported.';

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
  created_at timestamp(3) with time zone not null default coffer_now(),
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
  terms_mac text,
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
) with (autovacuum_vacuum_insert_scale_factor=0.02);
comment on table invoice is 'What a merchant asks to be paid, or for the type `withdraw` a claim that pays out to the holder of a token. A deleted invoice stays as a tombstone without its texts, so that money to its addresses is still credited.';
comment on column invoice.type is '`onetime`, `collect` and `reusable` receive deposits; `withdraw` pays out. The payments of a reusable invoice do not add up; each one that is large enough is a full payment.';
comment on column invoice.state is '`pending`, `paid` or `expired`, derived from all its payments. A reorganisation can take `paid` back.';
comment on column invoice.exceptions is 'Any of `underpaid`, `overpaid` and `late`, which are independent of the state.';
comment on column invoice.amount is 'The amount as the merchant sent it.';
comment on column invoice.amount_usd is 'The same amount in 10^-8 USD.';
comment on column invoice.payment_method_id is 'The first of payment_method_ids.';
comment on column invoice.payment_method_ids is 'All payment methods among which the payer may choose.';
comment on column invoice.aml_ok is 'False if the sender of any of its payments did not pass screening or could not be screened so far, and no operator released the payment.';
comment on column invoice.collect_state is 'Where the money of a `collect` invoice is: `collecting`, then `sweeping` once it is over and a sweep is planned, then `completed`. Null for other types.';
comment on column invoice.expires_at is 'Null if the invoice does not expire.';
comment on column invoice.paid_at is 'When the invoice became paid; null unless its state is `paid`.';
comment on column invoice.paid_periods is 'How often the invoice has become paid; for a reusable invoice, how many full payments were reported. Events carry the number in their subjects.';
comment on column invoice.deleted_at is 'Null unless the merchant deleted the invoice, which removes description, reference and redirect_url.';
comment on column invoice.redirect_url is 'Where the checkout sends the payer back to.';
comment on column invoice.closed_at is 'When the merchant closed the invoice; what is paid later is late. Null if it was not closed.';
comment on column invoice.accepted_at is 'When the merchant accepted the deposits in accepted_ids as sufficient; null if it did not.';
comment on column invoice.accepted_ids is 'The ids of these deposits; empty if there are none.';
comment on column invoice.claim_hash is 'SHA-256 of the token with which a `withdraw` invoice is claimed; null for other types.';
comment on column invoice.claimed_at is 'When the claim was taken. It becomes null again if the withdrawal that pays it fails or is cancelled.';
comment on column invoice.search_text is 'The text in which searches look. The unit separator (character 31) keeps a match from spanning description and reference.';
comment on column invoice.paid_when is 'The merchant''s setting when the invoice was created: `included` counts payments in a block, `confirmed` only confirmed ones. Later changes of the merchant''s setting do not apply.';
comment on column invoice.tolerance_basis_points is 'The share of the amount that may be missing from a full payment, in hundredths of a percent, also copied from the merchant at creation.';
comment on column invoice.sealed_claim_token is 'The token of the claim, encrypted under ENCRYPTION_KEY. It is stored only if the token was derived from a former key, so that it can still be shown; null otherwise.';
comment on column invoice.claim_mac is 'MAC under a key of the books over the invoice, the merchant, amount_usd and claim_hash of a `withdraw` invoice; null for other types. A claim without a valid MAC is not paid.';
comment on column invoice.terms_mac is 'MAC under a key of the books over the invoice, the merchant, the type, amount and amount_usd. An invoice without a valid MAC gets no address.';
CREATE INDEX invoice_by_amount ON public.invoice USING btree (merchant_id, amount_usd, id) INCLUDE (archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_by_facet ON public.invoice USING btree (merchant_id, payment_method_ids, type, state, aml_ok, COALESCE(collect_state, ''::text), ((archived_at IS NOT NULL)), created_at, id) INCLUDE (amount_usd, collect_state, archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_by_time ON public.invoice USING btree (merchant_id, created_at, id) INCLUDE (archived_at) WHERE (deleted_at IS NULL);
CREATE INDEX invoice_expiring ON public.invoice USING btree (expires_at) WHERE (state = 'pending'::text);
CREATE INDEX invoice_over_collecting ON public.invoice USING btree (id) WHERE ((type = 'collect'::text) AND (collect_state = 'collecting'::text) AND (state <> 'pending'::text));
CREATE UNIQUE INDEX invoice_reference_unique ON public.invoice USING btree (merchant_id, reference) WHERE ((reference IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER deposits_counted_with_invoice AFTER UPDATE ON public.invoice FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION count_deposits_of_invoice();
CREATE TRIGGER invoice_counted_in AFTER INSERT ON public.invoice REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_counted_out AFTER DELETE ON public.invoice REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_counted_over AFTER UPDATE ON public.invoice REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_invoices();
CREATE TRIGGER invoice_text_added AFTER INSERT ON public.invoice FOR EACH ROW WHEN (((new.description IS NOT NULL) OR (new.reference IS NOT NULL))) EXECUTE FUNCTION keep_invoice_text();
CREATE TRIGGER invoice_text_changed AFTER UPDATE ON public.invoice FOR EACH ROW WHEN ((old.search_text IS DISTINCT FROM new.search_text)) EXECUTE FUNCTION keep_invoice_text();

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
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
comment on table invoice_count_change is 'A change of the number of invoices that is not yet added to invoice_facet_count, invoice_range_count and invoice_outcome_count. Triggers on invoice insert rows, so writers do not wait for each other; aggregation moves them into the counts.';
comment on column invoice_count_change.collect_state is 'Empty for invoices that are not of the type `collect`.';
comment on column invoice_count_change.amount_usd is 'In 10^-8 USD.';
comment on column invoice_count_change.difference is 'How many invoices are added to the counts; below zero if they are taken off.';
CREATE INDEX invoice_count_change_merchant ON public.invoice_count_change USING btree (merchant_id);

create table invoice_facet_count (
  merchant_id uuid not null,
  payment_method_ids integer[] not null,
  type text not null,
  state text not null,
  aml_ok boolean not null,
  collect_state text not null,
  is_archived boolean not null,
  invoices bigint not null,
  constraint invoice_facet_count_pkey PRIMARY KEY (merchant_id, payment_method_ids, type, state, aml_ok, collect_state, is_archived)
) with (fillfactor=50);
comment on table invoice_facet_count is 'The number of invoices of a merchant that agree in all columns with few values. Deleted invoices are not counted. An exact count is the sum of this table and invoice_count_change in one snapshot.';
comment on column invoice_facet_count.collect_state is 'Empty for invoices that are not of the type `collect`.';

create table invoice_outcome_count (
  merchant_id uuid not null,
  day date not null,
  state text not null,
  invoices bigint not null,
  constraint invoice_outcome_count_pkey PRIMARY KEY (merchant_id, day, state)
) with (fillfactor=50);
comment on table invoice_outcome_count is 'The number of a merchant''s invoices by the day of creation and the present state, for overviews. Invoices of the type `withdraw` and deleted ones are not counted. An exact count is the sum of this table and invoice_count_change in one snapshot.';
comment on column invoice_outcome_count.day is 'The day in UTC on which the invoices were created.';

create table invoice_range_count (
  merchant_id uuid not null,
  scale text not null,
  bucket integer not null,
  is_archived boolean not null,
  invoices bigint not null,
  constraint invoice_range_count_pkey PRIMARY KEY (merchant_id, scale, bucket, is_archived),
  constraint invoice_range_count_scale_check CHECK ((scale = ANY (ARRAY['day'::text, 'days'::text, 'amount'::text, 'amounts'::text])))
) with (fillfactor=50);
comment on table invoice_range_count is 'The number of a merchant''s invoices by ranges of creation time and of amount. Deleted invoices are not counted. An exact count is the sum of this table and invoice_count_change in one snapshot.';
comment on column invoice_range_count.scale is 'The kind of range, as `invoice_scales()` computes it: `day` and `days` for time, `amount` and `amounts` for amounts. Every invoice is counted once in each scale.';
comment on column invoice_range_count.bucket is '`day`: days since 1970-01-01 UTC. `days`: 32 of them. `amount`: the number of digits of amount_usd followed by its first four digits. `amounts`: the same with its first two digits.';

create table invoice_text (
  invoice_id uuid not null,
  merchant_id uuid not null,
  search_text text not null,
  constraint invoice_text_pkey PRIMARY KEY (invoice_id),
  constraint invoice_text_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id) ON DELETE CASCADE
) with (autovacuum_vacuum_insert_scale_factor=0.02);
comment on table invoice_text is 'The searchable text of an invoice, kept by triggers on invoice. It is a table of its own because a change of an invoice''s state would otherwise write all trigrams of its text into the index again.';
comment on column invoice_text.merchant_id is 'Repeats the merchant of the invoice, so that a search reads one merchant''s texts.';
comment on column invoice_text.search_text is 'Equals invoice.search_text.';
CREATE INDEX invoice_text_search ON public.invoice_text USING gin (search_text gin_trgm_ops) WITH (gin_pending_list_limit='512');

create table oracle_answer (
  network text not null,
  address text not null,
  is_listed boolean not null,
  asked_at timestamp(3) with time zone not null default coffer_now(),
  constraint oracle_answer_pkey PRIMARY KEY (network, address)
);
comment on table oracle_answer is 'The last answer of a network''s on-chain sanctions oracle about an address. It is used again for some minutes and deleted after a day.';
CREATE INDEX oracle_answer_age ON public.oracle_answer USING btree (asked_at);

create table own_transfer (
  network text not null,
  transfer_key text not null,
  address_id bigint not null,
  amount_minor numeric(78,0) not null,
  block_height bigint not null,
  constraint own_transfer_pkey PRIMARY KEY (network, transfer_key),
  constraint own_transfer_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint own_transfer_amount_minor_check CHECK ((amount_minor > (0)::numeric))
);
comment on table own_transfer is 'Coin that one of our addresses sent to a deposit address on an EVM network, such as the top-up for a fee. It is no deposit. Its balance is compared with the books, so it has to be known.';
comment on column own_transfer.transfer_key is 'Identifies the transfer, in the form of deposit.transfer_key.';
comment on column own_transfer.amount_minor is 'In the coin''s smallest unit.';
CREATE INDEX own_transfer_address ON public.own_transfer USING btree (address_id);
CREATE INDEX own_transfer_height ON public.own_transfer USING btree (network, block_height);

create table quote (
  id uuid not null,
  invoice_id uuid not null,
  payment_method_id integer not null,
  price numeric(40,0) not null,
  price_taken_at timestamp(3) with time zone not null,
  sources jsonb not null,
  full_minor numeric(78,0) not null,
  quoted_at timestamp(3) with time zone not null default coffer_now(),
  expires_at timestamp(3) with time zone not null,
  mac text not null default ''::text,
  constraint quote_pkey PRIMARY KEY (id),
  constraint quote_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id),
  constraint quote_check CHECK ((expires_at >= quoted_at)),
  constraint quote_full_minor_check CHECK ((full_minor > (0)::numeric)),
  constraint quote_price_check CHECK ((price > (0)::numeric))
);
comment on table quote is 'A price that was promised to the payer of an invoice until it expires. A payer that chooses a payment method, or comes back after the expiry, gets another one.';
comment on column quote.price is 'In 10^-12 USD per whole unit.';
comment on column quote.price_taken_at is 'When the rate was taken from which the quote was made.';
comment on column quote.sources is 'The readings of that rate: `[{"source": "<name>", "price": "<10^-12 USD per whole unit>"}, ...]`.';
comment on column quote.full_minor is 'The whole invoice at this price, in the asset''s smallest unit, rounded up.';
comment on column quote.mac is 'MAC under a key of the books over id, invoice, payment method, price, full_minor, quoted_at and expires_at, and over the merchant and the amount of the invoice. A quote without a valid MAC values nothing.';
CREATE INDEX quote_invoice ON public.quote USING btree (invoice_id, payment_method_id, quoted_at);

create table sanctioned_address (
  canonical text not null,
  codes text[] not null,
  parties text[] not null,
  listed_at timestamp(3) with time zone not null default coffer_now(),
  constraint sanctioned_address_pkey PRIMARY KEY (canonical)
);
comment on table sanctioned_address is 'An address of the sanctions list in force.';
comment on column sanctioned_address.canonical is 'The address in the canonical form in which addresses are compared.';
comment on column sanctioned_address.codes is 'The currency codes under which the list has it, such as XBT; `plain` in a plain list.';
comment on column sanctioned_address.parties is 'The owners by the list''s own numbers; empty in a plain list.';
comment on column sanctioned_address.listed_at is 'Since when it is listed without a break, by our own readings.';

create table sanctions_list (
  id uuid not null,
  source text not null,
  sha256 bytea not null,
  address_count integer not null,
  loaded_at timestamp(3) with time zone not null default coffer_now(),
  read_at timestamp(3) with time zone not null default coffer_now(),
  fresh_at timestamp(3) with time zone not null,
  replaced_at timestamp(3) with time zone,
  constraint sanctions_list_pkey PRIMARY KEY (id),
  constraint sanctions_list_address_count_check CHECK ((address_count >= 0)),
  constraint sanctions_list_sha256_check CHECK ((octet_length(sha256) = 32))
);
comment on table sanctions_list is 'One content of the sanctions list that was loaded. At most one is in force; former ones stay, so that it can be shown what was known when.';
comment on column sanctions_list.source is 'The path or the URL it was last read from.';
comment on column sanctions_list.sha256 is 'SHA-256 of the content.';
comment on column sanctions_list.loaded_at is 'When this content was first read; read_at is when it was last read.';
comment on column sanctions_list.fresh_at is 'The last time at which this content was known to be its publisher''s newest. For a file it is the time of the file''s last change.';
comment on column sanctions_list.replaced_at is 'Null while the list is in force.';
CREATE UNIQUE INDEX sanctions_list_in_force ON public.sanctions_list USING btree ((true)) WHERE (replaced_at IS NULL);

create table transaction_spend (
  network text not null,
  outpoint text not null,
  spender_hash text not null,
  tx_hash text not null,
  constraint transaction_spend_pkey PRIMARY KEY (network, outpoint, tx_hash)
);
comment on table transaction_spend is 'An outpoint on which a payment in no block depends: its own inputs, and those of its unconfirmed ancestors. If a transaction other than spender_hash spends it, the payment is replaced.';
comment on column transaction_spend.spender_hash is 'The transaction that spends the outpoint: the payment''s own, or an ancestor''s.';
comment on column transaction_spend.tx_hash is 'The transaction of the payment, which may have several deposits.';
CREATE INDEX transaction_spend_payment ON public.transaction_spend USING btree (network, tx_hash);
