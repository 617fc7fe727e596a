create table balance_pass (
  network text not null,
  height bigint not null,
  address_id bigint not null,
  rotation_height bigint not null,
  covered_height bigint not null,
  passed_at timestamp(3) with time zone not null default coffer_now(),
  constraint balance_pass_pkey PRIMARY KEY (network)
);
comment on table balance_pass is 'The progress of comparing balances of the coin of an EVM network with the books. The addresses of open invoices are compared in each pass, and all addresses in turn.';
comment on column balance_pass.height is 'The final block of the last pass.';
comment on column balance_pass.address_id is 'The last address that was compared in the current rotation through all addresses; 0 at its start.';
comment on column balance_pass.rotation_height is 'The block of the pass with which the current rotation began.';
comment on column balance_pass.covered_height is 'All addresses were compared at this block or later; -1 before the first rotation ends.';

create table loss_put_back (
  incarnation bigint not null,
  process_id uuid not null,
  beat_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint loss_put_back_pkey PRIMARY KEY (incarnation, process_id)
);
comment on table loss_put_back is 'A process that compares what it remembers with the database after a loss of history. No block is booked while such a process works.';
comment on column loss_put_back.incarnation is 'The incarnation that began with the loss.';
comment on column loss_put_back.process_id is 'The id of the process, in the form of process_heartbeat.process_id.';
comment on column loss_put_back.beat_at is 'When the process last reported. One that has been silent for some seconds counts as dead, and nobody waits for it.';
comment on column loss_put_back.ended_at is 'Null until the process has compared everything.';

create table loss_recovery (
  incarnation bigint not null,
  family text not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  noted_at timestamp(3) with time zone not null default coffer_now(),
  added_count bigint,
  ended_at timestamp(3) with time zone,
  constraint loss_recovery_pkey PRIMARY KEY (incarnation, family),
  constraint loss_recovery_check CHECK ((since <= until)),
  constraint loss_recovery_check1 CHECK (((ended_at IS NULL) = (added_count IS NULL)))
);
comment on table loss_recovery is 'The recovery of the addresses of one family that may have been given out in a lost time. No block of the family is booked while it is open.';
comment on column loss_recovery.incarnation is 'The incarnation that began with the loss or the possible loss.';
comment on column loss_recovery.since is 'The start of the lost time.';
comment on column loss_recovery.until is 'The end of the lost time: when the loss was noticed.';
comment on column loss_recovery.added_count is 'How many addresses of the lost time are watched that the database did not know; null until the recovery has ended.';
comment on column loss_recovery.ended_at is 'Null while the addresses are being derived again.';
CREATE INDEX loss_recovery_open ON public.loss_recovery USING btree (family) WHERE (ended_at IS NULL);

create table lost_record (
  incarnation bigint not null,
  kind text not null,
  id text not null,
  merchant_id uuid,
  committed_at timestamp(3) with time zone not null,
  outcome text not null,
  detail text not null,
  noted_at timestamp(3) with time zone not null default coffer_now(),
  constraint lost_record_pkey PRIMARY KEY (incarnation, kind, id),
  constraint lost_record_outcome_check CHECK ((outcome = ANY (ARRAY['put-back'::text, 'named'::text])))
);
comment on table lost_record is 'Something that a process remembers as committed and that the database lost. Rows are append-only, and what several processes remember is recorded once.';
comment on column lost_record.kind is '`invoice`, `address`, `quote`, `decision`, `event`, `withdrawal` or `idempotency-key`.';
comment on column lost_record.id is 'The id of what was lost. It is no foreign key, because the row may be gone.';
comment on column lost_record.merchant_id is 'Null if no merchant is known. It is no foreign key, because the merchant may be lost too.';
comment on column lost_record.outcome is '`put-back`: it was restored. `named`: it was only recorded, so that an operator can investigate.';
comment on column lost_record.detail is 'A description for the operator.';
CREATE TRIGGER lost_record_append_only BEFORE DELETE OR UPDATE ON public.lost_record FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lost_record_no_truncate BEFORE TRUNCATE ON public.lost_record FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
  found_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint missed_payment_pkey PRIMARY KEY (id),
  constraint missed_payment_network_address_asset_height_key UNIQUE (network, address, asset, height),
  constraint missed_payment_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint missed_payment_check CHECK (((state = ANY (ARRAY['booked'::text, 'gone'::text])) = (ended_at IS NOT NULL))),
  constraint missed_payment_found_by_check CHECK ((found_by = ANY (ARRAY['balance'::text, 'output'::text, 'block'::text]))),
  constraint missed_payment_state_check CHECK ((state = ANY (ARRAY['open'::text, 'booked'::text, 'unexplained'::text, 'gone'::text])))
);
comment on table missed_payment is 'Money that the search found at an address of ours beyond what the books say. Only `coffer recover --missed` books it.';
comment on column missed_payment.asset is 'The asset as `<network>/<symbol>`.';
comment on column missed_payment.height is 'The block in which the money came if is_located is true; otherwise the block at which it was found.';
comment on column missed_payment.amount_minor is 'The amount beyond the books, in the asset''s smallest unit.';
comment on column missed_payment.tx_hash is 'The transaction of the transfer; null if it is not known.';
comment on column missed_payment.found_by is '`balance`: by comparing the balance of the address. `output`: by comparing unspent outputs. `block`: by reading a block again.';
comment on column missed_payment.state is '`open`: an operator has to book it. `booked`: the command booked it. `unexplained`: no transfer that a node reports brought it, or its rest is unexplained. `gone`: the books contain it by now.';
comment on column missed_payment.found_at is 'When it was found; set again if a finding grows or is found anew after it had ended.';
comment on column missed_payment.ended_at is 'Null unless the state is `booked` or `gone`.';
CREATE INDEX missed_payment_open ON public.missed_payment USING btree (network) WHERE (state = ANY (ARRAY['open'::text, 'unexplained'::text]));

create table missed_payment_search (
  network text not null,
  compared_height bigint not null default '-1'::integer,
  address_id bigint not null default 0,
  rotation_began_at timestamp(3) with time zone not null default coffer_now(),
  rotation_addresses bigint not null default 0,
  rotation_total bigint not null default 0,
  covered_since timestamp(3) with time zone not null default coffer_now(),
  scan_seconds double precision not null default 60,
  scanned_addresses bigint not null default 0,
  scanned_at timestamp(3) with time zone not null default coffer_now(),
  blocks_reread bigint not null default 0,
  blocks_unread bigint not null default 0,
  constraint missed_payment_search_pkey PRIMARY KEY (network)
);
comment on table missed_payment_search is 'The progress of the search for missed payments of one network. It compares in turn all addresses of the network, and in each run also those that recent blocks touched.';
comment on column missed_payment_search.compared_height is 'All blocks up to this height were compared at the addresses that they touched; -1 before the first run.';
comment on column missed_payment_search.address_id is 'The last address that was compared in the current rotation through all addresses; 0 at its start.';
comment on column missed_payment_search.rotation_addresses is 'How many addresses of the current rotation were compared.';
comment on column missed_payment_search.rotation_total is 'How many addresses there were when the rotation began.';
comment on column missed_payment_search.covered_since is 'Every address was compared since this time. Before the first rotation ends, it is when the search began.';
comment on column missed_payment_search.scan_seconds is 'The seconds between the last two runs.';
comment on column missed_payment_search.scanned_addresses is 'How many addresses of the rotation the last run compared.';
comment on column missed_payment_search.blocks_reread is 'How many blocks were read again in all.';
comment on column missed_payment_search.blocks_unread is 'How many blocks could not be compared because no node keeps their data.';
