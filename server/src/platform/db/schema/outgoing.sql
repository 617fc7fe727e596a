create table asset_halt (
  asset text not null,
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default coffer_now(),
  constraint asset_halt_pkey PRIMARY KEY (asset)
);
comment on table asset_halt is 'A halted asset: its money does not leave until an operator lifts the halt, which deletes the row. Each halt also writes an entry to audit_entry.';
comment on column asset_halt.asset is 'The asset as `<network>/<symbol>`.';
comment on column asset_halt.cause is '`false-deposit`: the chain contradicts a deposit that was credited. `insolvent`: the chain holds less than the books say. `missing-transfer`: an outgoing transaction was mined with success and did not move what it should move.';
comment on column asset_halt.detail is 'A description for the operator.';

create table attested_statement_key (
  only_row boolean not null default true,
  public_key text not null,
  attested_at timestamp(3) with time zone not null default coffer_now(),
  constraint attested_statement_key_pkey PRIMARY KEY (only_row),
  constraint attested_statement_key_only_row_check CHECK (only_row),
  constraint attested_statement_key_public_key_check CHECK ((public_key ~ '^[0-9a-f]{64}$'::text))
);
comment on table attested_statement_key is 'The public key with which the signer signs its statements, such as lifts of halts and countersigned heads. There is at most one row; no row means that no signer has attested itself yet.';
comment on column attested_statement_key.public_key is '32 bytes in hex.';
comment on column attested_statement_key.attested_at is 'When this key was first attested; a later attestation of the same key does not change it.';

create table books_check (
  singleton boolean not null default true,
  checked_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone not null,
  constraint books_check_pkey PRIMARY KEY (singleton),
  constraint books_check_singleton_check CHECK (singleton)
);
comment on table books_check is 'The last complete run of the continuous check of the books. There is exactly one row; no money leaves while the check is overdue.';
comment on column books_check.checked_at is 'When a check last finished, with any result; null if none has.';
comment on column books_check.due_at is 'The time after which the next check is overdue.';

create table coin_check (
  network text not null,
  address_id bigint not null,
  asked_height bigint not null,
  asked_at timestamp(3) with time zone not null default coffer_now(),
  asked_first_at timestamp(3) with time zone not null default coffer_now(),
  checked_height bigint,
  constraint coin_check_pkey PRIMARY KEY (network, address_id),
  constraint coin_check_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id) ON DELETE CASCADE
);
comment on table coin_check is 'A request to compare the coin of an address with the books: before it is swept, because blocks of its network were read without call traces, or after a sweep took more than is booked.';
comment on column coin_check.asked_height is 'The comparison must be made at this block or at a later one.';
comment on column coin_check.asked_at is 'The time of the request, or of the last comparison that could not be made.';
comment on column coin_check.asked_first_at is 'The time since which a comparison is waited for. A sweep does not wait longer than an hour.';
comment on column coin_check.checked_height is 'The block at which it was made; null until then.';
CREATE INDEX coin_check_address ON public.coin_check USING btree (address_id);
CREATE INDEX coin_check_open ON public.coin_check USING btree (network, asked_at) WHERE (checked_height IS NULL);

create table deposit_proof_failure (
  deposit_id uuid not null,
  inclusion integer not null,
  kind text not null,
  detail text not null,
  since timestamp(3) with time zone not null default coffer_now(),
  retry_at timestamp(3) with time zone not null,
  constraint deposit_proof_failure_pkey PRIMARY KEY (deposit_id),
  constraint deposit_proof_failure_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposit(id),
  constraint deposit_proof_failure_kind_check CHECK ((kind = ANY (ARRAY['false'::text, 'unread'::text])))
);
comment on table deposit_proof_failure is 'A confirmed deposit that the role `payouts` could not prove with its own nodes. The row is deleted when the deposit is proven.';
comment on column deposit_proof_failure.inclusion is 'The inclusion of the deposit to which the finding applies.';
comment on column deposit_proof_failure.kind is '`false`: the chain contradicts the deposit. `unread`: the nodes could not be asked about it. A false deposit stays `false` until it is proven.';
comment on column deposit_proof_failure.detail is 'A description for the operator.';
comment on column deposit_proof_failure.retry_at is 'When the deposit is checked again.';

create table fee_level (
  network text not null,
  hour timestamp(0) with time zone not null,
  base_fee_minor numeric(78,0) not null,
  constraint fee_level_pkey PRIMARY KEY (network, hour)
);
comment on table fee_level is 'The network fee in one hour, as first measured in that hour. Sweeps compare the present fee with these rows to decide whether it is low; old rows are deleted.';
comment on column fee_level.hour is 'The start of the hour in UTC.';
comment on column fee_level.base_fee_minor is 'The base fee per unit of gas (EIP-1559), in the smallest unit of the network''s coin.';

create table hot_wallet (
  network text not null,
  index smallint not null,
  address text not null,
  attested_at timestamp(3) with time zone not null default coffer_now(),
  constraint hot_wallet_pkey PRIMARY KEY (network, index),
  constraint hot_wallet_network_address_key UNIQUE (network, address),
  constraint hot_wallet_index_check CHECK ((index >= 0))
);
comment on table hot_wallet is 'A hot wallet of an EVM network, as the signer attested it. A known one never changes its address.';
comment on column hot_wallet.index is 'The number of the hot wallet in the derivation path `.../1''/0/<index>`.';
comment on column hot_wallet.address is 'The address is in canonical form.';

create table hot_wallet_address (
  network text not null,
  branch smallint not null,
  index bigint not null,
  address text not null,
  made_at timestamp(3) with time zone not null default coffer_now(),
  is_given boolean not null default true,
  constraint hot_wallet_address_pkey PRIMARY KEY (network, branch, index),
  constraint hot_wallet_address_network_address_key UNIQUE (network, address),
  constraint hot_wallet_address_branch_check CHECK ((branch = ANY (ARRAY[0, 1]))),
  constraint hot_wallet_address_index_check CHECK ((index >= 0))
);
comment on table hot_wallet_address is 'An address of the hot wallet of a UTXO network. All rows are watched.';
comment on column hot_wallet_address.branch is '0: the operator sends funds to it. 1: it is for change of outgoing transactions.';
comment on column hot_wallet_address.index is 'The index in the derivation path `.../1''/<branch>/<index>`. Change addresses are assigned in the order of their indexes, each to one outgoing transaction.';
comment on column hot_wallet_address.address is 'The address is in canonical form.';
comment on column hot_wallet_address.is_given is 'False for a change address that is watched but not assigned yet. Such addresses are watched ahead, so that a restored database lists the change of transactions that it learns of only later from the signer''s log.';

create table hot_wallet_balance (
  network text not null,
  address text not null,
  asset text not null,
  amount_minor numeric(78,0) not null,
  height bigint not null,
  taken_at timestamp(3) with time zone not null default coffer_now(),
  constraint hot_wallet_balance_pkey PRIMARY KEY (network, address, asset),
  constraint hot_wallet_balance_amount_minor_check CHECK ((amount_minor >= (0)::numeric))
);
comment on table hot_wallet_balance is 'The last measured balance of an EVM hot wallet in one asset. It serves displays, which must not wait for a node, and it is not part of the books.';
comment on column hot_wallet_balance.amount_minor is 'In the asset''s smallest unit.';
comment on column hot_wallet_balance.height is 'The block at which the node was asked.';

create table merchant_sweep (
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
  created_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint merchant_sweep_pkey PRIMARY KEY (id),
  constraint merchant_sweep_funding_id_fkey FOREIGN KEY (funding_id) REFERENCES sweep(id),
  constraint merchant_sweep_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint merchant_sweep_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id),
  constraint merchant_sweep_amount_minor_check CHECK ((amount_minor >= (0)::numeric)),
  constraint merchant_sweep_check CHECK (((sweep_id IS NOT NULL) OR (funding_id IS NOT NULL))),
  constraint merchant_sweep_check1 CHECK (((state = ANY (ARRAY['completed'::text, 'blocked'::text])) = (ended_at IS NOT NULL))),
  constraint merchant_sweep_check2 CHECK (((state <> 'completed'::text) OR (tx_hash IS NOT NULL))),
  constraint merchant_sweep_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'funding'::text, 'sweeping'::text, 'completed'::text, 'blocked'::text])))
);
comment on table merchant_sweep is 'The share of one merchant and one asset in a sweep; the wire calls it a collection.';
comment on column merchant_sweep.sweep_id is 'The sweep that takes the money; null while it waits for the coin that pays for the transfer.';
comment on column merchant_sweep.funding_id is 'The top-up that brings this coin; null if none is needed.';
comment on column merchant_sweep.amount_minor is 'What is to be taken, or what was taken once it is completed, in the asset''s smallest unit.';
comment on column merchant_sweep.amount is 'The same amount in whole units, by which lists with several assets are sorted.';
comment on column merchant_sweep.transactions is 'The number of deposits that it takes.';
comment on column merchant_sweep.state is '`planned`: a transaction is to take the deposits. `funding`: the address waits for a top-up. `sweeping`: the transaction is under way. `completed`: it is final and the money is in a hot wallet. `blocked`: this sweep failed, and another one takes the money later.';
comment on column merchant_sweep.ended_at is 'Null until it is completed or blocked.';
CREATE INDEX merchant_sweep_funding ON public.merchant_sweep USING btree (funding_id) WHERE (funding_id IS NOT NULL);
CREATE INDEX merchant_sweep_of_merchant ON public.merchant_sweep USING btree (merchant_id, created_at, id);
CREATE INDEX merchant_sweep_of_merchant_amount ON public.merchant_sweep USING btree (merchant_id, amount, id);
CREATE UNIQUE INDEX merchant_sweep_sweep ON public.merchant_sweep USING btree (sweep_id, merchant_id, asset) WHERE (sweep_id IS NOT NULL);

create table missing_transfer (
  outgoing_transaction_id uuid not null,
  block_hash text not null,
  tx_hash text not null,
  detail text not null,
  found_at timestamp(3) with time zone not null default coffer_now(),
  outcome text,
  reason text,
  decided_at timestamp(3) with time zone,
  outcome_mac text,
  constraint missing_transfer_pkey PRIMARY KEY (outgoing_transaction_id, block_hash),
  constraint missing_transfer_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id),
  constraint missing_transfer_check CHECK (((outcome IS NULL) = (decided_at IS NULL))),
  constraint missing_transfer_check1 CHECK (((outcome IS NULL) = (reason IS NULL))),
  constraint missing_transfer_outcome_check CHECK ((outcome = ANY (ARRAY['paid'::text, 'unpaid'::text])))
);
comment on table missing_transfer is 'An outgoing transaction that was mined with success in a final block and did not move what it should move. The hold stays until an operator decides; it counts only while the transaction is in the block named here.';
comment on column missing_transfer.detail is 'A description for the operator.';
comment on column missing_transfer.outcome is '`paid` completes what was ordered, `unpaid` fails it and releases its hold; null until an operator has decided.';
comment on column missing_transfer.reason is 'The operator''s reason; null until the decision.';
comment on column missing_transfer.outcome_mac is 'MAC under a key of the books over the outgoing transaction, block_hash, tx_hash and outcome. A decision without a valid MAC counts as none.';
CREATE INDEX missing_transfer_open ON public.missing_transfer USING btree (found_at) WHERE (outcome IS NULL);

create table outflow_payment (
  id uuid not null,
  network text not null,
  tx_hash text not null,
  contract text,
  recipient text,
  amount_minor numeric(78,0) not null,
  booked_at timestamp(3) with time zone,
  bookings integer not null default 0,
  constraint outflow_payment_pkey PRIMARY KEY (id),
  constraint outflow_payment_outflow_fkey FOREIGN KEY (network, tx_hash) REFERENCES wallet_outflow(network, tx_hash) ON DELETE CASCADE,
  constraint outflow_payment_amount_minor_check CHECK ((amount_minor > (0)::numeric))
);
comment on table outflow_payment is 'A payment to others that an outflow made. Recovery of the network waits until an operator has booked it.';
comment on column outflow_payment.contract is 'The contract of the token; null for the network''s coin.';
comment on column outflow_payment.recipient is 'The address that was paid; null if the script of the output has no address.';
comment on column outflow_payment.amount_minor is 'In the asset''s smallest unit.';
comment on column outflow_payment.booked_at is 'When an operator booked it; null before, and after a booking was undone.';
comment on column outflow_payment.bookings is 'How often it was booked. Its last journal has the subject `outflow:<id>:<bookings>`; there is none if the asset is not accepted.';
CREATE INDEX outflow_payment_outflow ON public.outflow_payment USING btree (network, tx_hash);

create table outgoing_evm (
  outgoing_transaction_id uuid not null,
  network text not null,
  wallet text not null,
  nonce bigint not null,
  hot_wallet smallint,
  deposit_branch integer,
  deposit_index bigint,
  gas_limit numeric(78,0) not null,
  max_fee_per_gas numeric(78,0) not null,
  max_priority_fee_per_gas numeric(78,0) not null,
  max_fee_per_gas_limit numeric(78,0),
  is_superseded boolean not null default false,
  constraint outgoing_evm_pkey PRIMARY KEY (outgoing_transaction_id),
  constraint outgoing_evm_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id) ON DELETE CASCADE,
  constraint outgoing_evm_deposit CHECK (((deposit_branch IS NULL) = (deposit_index IS NULL))),
  constraint outgoing_evm_deposit_branch_check CHECK ((deposit_branch >= 0)),
  constraint outgoing_evm_deposit_index_check CHECK ((deposit_index >= 0)),
  constraint outgoing_evm_gas_limit_check CHECK ((gas_limit >= (0)::numeric)),
  constraint outgoing_evm_hot_wallet_check CHECK ((hot_wallet >= 0)),
  constraint outgoing_evm_max_fee_per_gas_check CHECK ((max_fee_per_gas >= (0)::numeric)),
  constraint outgoing_evm_max_fee_per_gas_limit_check CHECK ((max_fee_per_gas_limit > (0)::numeric)),
  constraint outgoing_evm_max_priority_fee_per_gas_check CHECK ((max_priority_fee_per_gas >= (0)::numeric)),
  constraint outgoing_evm_nonce_check CHECK ((nonce >= 0)),
  constraint outgoing_evm_sender CHECK (((hot_wallet IS NULL) <> (deposit_branch IS NULL)))
);
comment on table outgoing_evm is 'The terms of an outgoing transaction on an EVM network: its sender, its nonce and its current fees. At most one transaction that is not superseded has a given nonce of a wallet.';
comment on column outgoing_evm.network is 'Repeats the network of the outgoing transaction, so that a unique index covers the nonce.';
comment on column outgoing_evm.wallet is 'The sender''s address in canonical form. It repeats what the derivation path says, so that nonces can be compared by address.';
comment on column outgoing_evm.hot_wallet is 'The index of the hot wallet that sends; null if a deposit address sends.';
comment on column outgoing_evm.deposit_branch is 'The branch of the deposit address that sends; null if a hot wallet sends, as is deposit_index.';
comment on column outgoing_evm.max_fee_per_gas is 'In the coin''s smallest unit, as is max_priority_fee_per_gas. Both are of the newest attempt, or of the next one that is to be signed.';
comment on column outgoing_evm.max_fee_per_gas_limit is 'The highest max_fee_per_gas that the transaction may ever offer, in the coin''s smallest unit; null if only the general maximum applies.';
comment on column outgoing_evm.is_superseded is 'Whether the transaction is conflicted and the transaction that used its nonce is known.';
CREATE UNIQUE INDEX outgoing_evm_nonce_unique ON public.outgoing_evm USING btree (network, wallet, nonce) WHERE (NOT is_superseded);
CREATE INDEX outgoing_evm_wallet ON public.outgoing_evm USING btree (network, wallet, nonce);

create table outgoing_halt (
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default coffer_now(),
  id uuid not null default (encode(substr(sha256(convert_to((((coffer_clock())::text || ' '::text) || (pg_current_xact_id())::text), 'UTF8'::name)), 1, 16), 'hex'::text))::uuid,
  ordinal integer not null default 1,
  constraint outgoing_halt_pkey PRIMARY KEY (id),
  constraint outgoing_halt_ordinal_unique UNIQUE (cause, ordinal),
  constraint outgoing_halt_ordinal_check CHECK ((ordinal > 0))
);
comment on table outgoing_halt is 'A halt that keeps all money from leaving until it is lifted. Rows are append-only; a halt is over once outgoing_halt_lift has a lift of it with a valid signature.';
comment on column outgoing_halt.cause is 'Why money is halted, such as `tampering`, `books` or `history`; `haltCauses` in halt-store.ts lists all causes.';
comment on column outgoing_halt.detail is 'A description for the operator.';
comment on column outgoing_halt.id is 'Given by the process that halts. The default serves processes that were written before they gave it.';
comment on column outgoing_halt.ordinal is 'The lowest number that no other halt of the cause has. Two processes that halt for one cause at the same moment take the same number, so one halt results.';
CREATE TRIGGER outgoing_halt_append_only BEFORE DELETE OR UPDATE ON public.outgoing_halt FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER outgoing_halt_no_truncate BEFORE TRUNCATE ON public.outgoing_halt FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table outgoing_halt_lift (
  halt_id uuid not null,
  statement text not null,
  signature text not null,
  lifted_at timestamp(3) with time zone not null default coffer_now(),
  constraint outgoing_halt_lift_pkey PRIMARY KEY (halt_id, signature),
  constraint outgoing_halt_lift_halt_id_fkey FOREIGN KEY (halt_id) REFERENCES outgoing_halt(id)
);
comment on table outgoing_halt_lift is 'A lift of a halt, signed on the signer''s host. Rows are append-only, and the engine and the signer verify the signature, while pages only look for a row.';
comment on column outgoing_halt_lift.statement is 'The signed text, a JSON array: `["coffer/signer/lift/1", "<halt id>", "<reason>", "<time>", "<new database id>" or null]`.';
comment on column outgoing_halt_lift.signature is 'The Ed25519 signature of the statement in hex, verified with the key in attested_statement_key. It is part of the primary key, so that a forged row cannot keep the right one out.';
CREATE TRIGGER outgoing_halt_lift_append_only BEFORE DELETE OR UPDATE ON public.outgoing_halt_lift FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER outgoing_halt_lift_no_truncate BEFORE TRUNCATE ON public.outgoing_halt_lift FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table outgoing_recovery (
  network text not null,
  reason text not null,
  requested_at timestamp(3) with time zone not null default coffer_now(),
  targets jsonb,
  constraint outgoing_recovery_pkey PRIMARY KEY (network)
);
comment on table outgoing_recovery is 'A network whose outgoing transactions wait for a recovery, because the database and the signer''s log may have gone back in time. The row is deleted when the recovery is over.';
comment on column outgoing_recovery.reason is 'The sign of going back in time, in words.';
comment on column outgoing_recovery.targets is 'Null until the nodes were asked. On EVM `{"<wallet>": <nonce>}`: everything below the nonce must be final. On UTXO chains `{"until": <height>}`: the last block whose outputs forgotten bytes may spend.';

create table outgoing_refusal (
  outgoing_transaction_id uuid not null,
  network text not null,
  kind text not null,
  intent text not null,
  spent_asset text,
  spent_contract text,
  spent_minor numeric(78,0),
  code text not null,
  detail text not null,
  refused_at timestamp(3) with time zone not null default coffer_now(),
  retry_at timestamp(3) with time zone,
  deposit_branch integer,
  deposit_index bigint,
  constraint outgoing_refusal_pkey PRIMARY KEY (outgoing_transaction_id),
  constraint outgoing_refusal_deposit CHECK (((deposit_branch IS NULL) = (deposit_index IS NULL))),
  constraint outgoing_refusal_deposit_branch_check CHECK ((deposit_branch >= 0)),
  constraint outgoing_refusal_deposit_index_check CHECK ((deposit_index >= 0))
);
comment on table outgoing_refusal is 'An outgoing transaction that the signer refused before anything was signed for it. It usually gave its slot back and is planned again when it is due; on EVM it may keep its nonce.';
comment on column outgoing_refusal.outgoing_transaction_id is 'The id of the outgoing transaction. It is no foreign key, because the refused transaction is usually deleted.';
comment on column outgoing_refusal.intent is 'What it is to do, in the form of outgoing_transaction.intent, from which it is planned again.';
comment on column outgoing_refusal.spent_asset is 'What it moves besides its fee, as in outgoing_transaction; null if nothing.';
comment on column outgoing_refusal.code is 'The stable code of the refusal, or `renumbered` if the signer did not refuse it but its slot was given to another transaction.';
comment on column outgoing_refusal.detail is 'A description for the operator.';
comment on column outgoing_refusal.retry_at is 'When it is tried again; null if an operator must decide.';
comment on column outgoing_refusal.deposit_branch is 'The branch of the deposit address that must send it; null if any hot wallet may, as is deposit_index.';

create table outgoing_transaction (
  id uuid not null,
  network text not null,
  kind text not null,
  intent text not null,
  state text not null default 'planned'::text,
  max_cost_minor numeric(78,0) not null,
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
  planned_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint outgoing_transaction_pkey PRIMARY KEY (id),
  constraint outgoing_transaction_bumps_check CHECK ((bumps >= 0)),
  constraint outgoing_transaction_check CHECK (((state = ANY (ARRAY['included'::text, 'final'::text])) = (included_height IS NOT NULL))),
  constraint outgoing_transaction_check1 CHECK (((included_height IS NULL) = (included_block_hash IS NULL))),
  constraint outgoing_transaction_check2 CHECK (((included_height IS NULL) = (included_tx_hash IS NULL))),
  constraint outgoing_transaction_check3 CHECK (((included_height IS NULL) = (is_success IS NULL))),
  constraint outgoing_transaction_check4 CHECK (((included_height IS NULL) = (fee_minor IS NULL))),
  constraint outgoing_transaction_check5 CHECK (((state = ANY (ARRAY['final'::text, 'conflicted'::text])) = (ended_at IS NOT NULL))),
  constraint outgoing_transaction_check6 CHECK (((spent_asset IS NULL) = (spent_minor IS NULL))),
  constraint outgoing_transaction_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint outgoing_transaction_kind_check CHECK ((kind = ANY (ARRAY['withdrawal'::text, 'sweep'::text, 'top_up'::text, 'direct_sweep'::text, 'rebalance'::text, 'treasury_withdrawal'::text, 'deploy'::text, 'cpfp'::text, 'reclaim'::text, 'consolidate'::text]))),
  constraint outgoing_transaction_max_cost_check CHECK ((max_cost_minor >= (0)::numeric)),
  constraint outgoing_transaction_spent_minor_check CHECK ((spent_minor >= (0)::numeric)),
  constraint outgoing_transaction_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'signed'::text, 'broadcast'::text, 'needs_recheck'::text, 'included'::text, 'final'::text, 'conflicted'::text])))
);
comment on table outgoing_transaction is 'One transaction of ours, whatever it is for. What depends on the family of its chain is in outgoing_evm or outgoing_utxo, and its signed bytes are in outgoing_transaction_attempt.';
comment on column outgoing_transaction.id is 'The id of what it was planned for, such as a withdrawal, a sweep or a treasury withdrawal, so that nothing is planned twice. On UTXO chains a transaction that pays withdrawals has an id of its own, because it may pay several.';
comment on column outgoing_transaction.kind is 'Repeats the kind in the intent.';
comment on column outgoing_transaction.intent is 'What it is to do, as the JSON text that `intentText` writes: `{"kind": ..., ...}`, with our own addresses as derivation paths and amounts as `"<digits>n"`. The signer is asked in the same form.';
comment on column outgoing_transaction.state is '`planned`: it has its slot and nothing is signed. `signed`: signed bytes are stored. `broadcast`: a node accepted them. `needs_recheck`: no node knows it, and the same bytes are sent again. `included`: it is in a canonical block. `final`: it is in a final block. `conflicted`: a transaction that conflicts with all its attempts is final.';
comment on column outgoing_transaction.max_cost_minor is 'The most that it can cost at its current fees, in the smallest unit of the network''s coin, without the amount that it moves.';
comment on column outgoing_transaction.spent_asset is 'The asset that leaves the wallet besides the fee; null if nothing does.';
comment on column outgoing_transaction.spent_contract is 'The token contract of that asset; null for the network''s coin and if nothing leaves.';
comment on column outgoing_transaction.spent_minor is 'The amount that leaves, in that asset''s smallest unit.';
comment on column outgoing_transaction.bumps is 'How often its fee was raised.';
comment on column outgoing_transaction.sent_height is 'The height of our blocks when its bytes were last sent to a node; null if its newest bytes were not sent yet.';
comment on column outgoing_transaction.offered_height is 'The height of our blocks when its newest bytes were first sent, from which fee bumps are timed; null if they were not.';
comment on column outgoing_transaction.included_tx_hash is 'The attempt that is in a block. It is null while none is, as are the other columns of the inclusion.';
comment on column outgoing_transaction.is_success is 'False if it was mined and did nothing but pay its fee.';
comment on column outgoing_transaction.fee_minor is 'The fee that it paid, in the smallest unit of the network''s coin.';
comment on column outgoing_transaction.ended_at is 'Null until it is final or conflicted.';
CREATE INDEX outgoing_transaction_included ON public.outgoing_transaction USING btree (network, included_height) WHERE (included_height IS NOT NULL);
CREATE INDEX outgoing_transaction_open ON public.outgoing_transaction USING btree (network, planned_at, id) WHERE (state <> ALL (ARRAY['final'::text, 'conflicted'::text]));

create table outgoing_transaction_attempt (
  network text not null,
  tx_hash text not null,
  outgoing_transaction_id uuid not null,
  raw text not null,
  signed_at timestamp(3) with time zone not null default coffer_now(),
  broadcast_at timestamp(3) with time zone,
  max_cost_minor numeric(78,0) not null,
  constraint outgoing_transaction_attempt_pkey PRIMARY KEY (network, tx_hash),
  constraint outgoing_transaction_attempt_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id),
  constraint outgoing_transaction_attempt_max_cost_check CHECK ((max_cost_minor >= (0)::numeric))
);
comment on table outgoing_transaction_attempt is 'Signed bytes of an outgoing transaction, stored before they are sent. All attempts share a nonce or a pinned outpoint, so at most one of them is ever mined.';
comment on column outgoing_transaction_attempt.raw is 'The signed transaction in hex without the prefix 0x.';
comment on column outgoing_transaction_attempt.broadcast_at is 'When a node first accepted these bytes; null if none has.';
comment on column outgoing_transaction_attempt.max_cost_minor is 'The most that this attempt can cost, in the smallest unit of the network''s coin. The attempt with the highest cost is the newest.';
CREATE INDEX outgoing_transaction_attempt_outgoing_transaction ON public.outgoing_transaction_attempt USING btree (outgoing_transaction_id);

create table outgoing_transaction_input (
  outgoing_transaction_id uuid not null,
  ordinal smallint not null,
  network text not null,
  outpoint text not null,
  amount_minor numeric(78,0) not null,
  is_released boolean not null default false,
  key_type text not null,
  key_branch integer not null,
  key_index bigint not null,
  constraint outgoing_transaction_input_pkey PRIMARY KEY (outgoing_transaction_id, ordinal),
  constraint outgoing_transaction_input_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id) ON DELETE CASCADE,
  constraint outgoing_transaction_input_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint outgoing_transaction_input_key_branch_check CHECK ((key_branch >= 0)),
  constraint outgoing_transaction_input_key_index_check CHECK ((key_index >= 0)),
  constraint outgoing_transaction_input_key_type_check CHECK ((key_type = ANY (ARRAY['hot'::text, 'deposit'::text]))),
  constraint outgoing_transaction_input_ordinal_check CHECK ((ordinal >= 0))
);
comment on table outgoing_transaction_input is 'A UTXO that an outgoing transaction reserves from its plan on. No two transactions reserve one UTXO unless the reservation is released.';
comment on column outgoing_transaction_input.ordinal is '0 is the pinned outpoint, which all attempts spend.';
comment on column outgoing_transaction_input.network is 'Repeats the network of the outgoing transaction, so that a unique index covers the outpoint.';
comment on column outgoing_transaction_input.outpoint is '`<txid>:<vout>`.';
comment on column outgoing_transaction_input.amount_minor is 'In the coin''s smallest unit.';
comment on column outgoing_transaction_input.is_released is 'True once the transaction is conflicted or another one reclaims the UTXO, so that others may reserve it.';
comment on column outgoing_transaction_input.key_type is 'The key of the UTXO: `deposit` for a deposit address, `hot` for an address of the hot wallet.';
comment on column outgoing_transaction_input.key_branch is 'The branch in the derivation path of that key; key_index is the index below it.';
CREATE INDEX outgoing_transaction_input_outpoint ON public.outgoing_transaction_input USING btree (network, outpoint);
CREATE INDEX outgoing_transaction_input_released ON public.outgoing_transaction_input USING btree (network, outpoint) WHERE is_released;
CREATE UNIQUE INDEX outgoing_transaction_input_utxo ON public.outgoing_transaction_input USING btree (network, outpoint) WHERE (NOT is_released);

create table outgoing_transaction_respend (
  outgoing_transaction_id uuid not null,
  network text not null,
  constraint outgoing_transaction_respend_pkey PRIMARY KEY (outgoing_transaction_id),
  constraint outgoing_transaction_respend_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id) ON DELETE CASCADE
);
comment on table outgoing_transaction_respend is 'An outgoing transaction of the recovery in progress that spends UTXOs to ourselves, so that forgotten bytes cannot spend them. Rows are deleted when the recovery ends or starts again.';
CREATE INDEX outgoing_transaction_respend_network ON public.outgoing_transaction_respend USING btree (network);

create table outgoing_utxo (
  outgoing_transaction_id uuid not null,
  network text not null,
  pinned_outpoint text not null,
  change_index bigint,
  vbytes numeric(78,0) not null,
  fee_rate numeric(78,0) not null,
  fee numeric(78,0) not null,
  is_released boolean not null default false,
  constraint outgoing_utxo_pkey PRIMARY KEY (outgoing_transaction_id),
  constraint outgoing_utxo_outgoing_transaction_id_fkey FOREIGN KEY (outgoing_transaction_id) REFERENCES outgoing_transaction(id) ON DELETE CASCADE,
  constraint outgoing_utxo_change_index_check CHECK ((change_index >= 0)),
  constraint outgoing_utxo_fee_check CHECK ((fee >= (0)::numeric)),
  constraint outgoing_utxo_fee_rate_check CHECK ((fee_rate >= (0)::numeric)),
  constraint outgoing_utxo_vbytes_check CHECK ((vbytes > (0)::numeric))
);
comment on table outgoing_utxo is 'The terms of an outgoing transaction on a UTXO chain: its pinned outpoint, its change and its current fees. Its inputs are in outgoing_transaction_input.';
comment on column outgoing_utxo.network is 'Repeats the network of the outgoing transaction, so that a unique index covers the pinned outpoint.';
comment on column outgoing_utxo.pinned_outpoint is 'The outpoint that all attempts spend, so that at most one is mined. It repeats the input with ordinal 0.';
comment on column outgoing_utxo.change_index is 'The index of the change address on branch 1 of hot_wallet_address; null if there is no change.';
comment on column outgoing_utxo.vbytes is 'The size in virtual bytes (BIP 141).';
comment on column outgoing_utxo.fee_rate is 'The fee for one virtual byte, rounded up, in the coin''s smallest unit.';
comment on column outgoing_utxo.fee is 'The whole fee in the coin''s smallest unit.';
comment on column outgoing_utxo.is_released is 'True once the transaction is conflicted or another one reclaims the pinned outpoint.';
CREATE UNIQUE INDEX outgoing_utxo_pinned_unique ON public.outgoing_utxo USING btree (network, pinned_outpoint) WHERE (NOT is_released);

create table outgoing_wait (
  network text not null,
  cause text not null,
  detail text not null,
  since timestamp(3) with time zone not null default coffer_now(),
  constraint outgoing_wait_pkey PRIMARY KEY (network, cause)
);
comment on table outgoing_wait is 'Why outgoing transactions of a network wait at present. Most waits end without an operator, and each round of the engine replaces the rows.';
comment on column outgoing_wait.cause is 'A stable name of the cause.';
comment on column outgoing_wait.detail is 'A description for the operator.';
comment on column outgoing_wait.since is 'Since when the network has waited for this cause without a break.';

create table previous_transaction (
  network text not null,
  tx_hash text not null,
  raw bytea not null,
  constraint previous_transaction_pkey PRIMARY KEY (network, tx_hash)
);
comment on table previous_transaction is 'A transaction that made an output of ours, kept whole. On chains without witnesses the signer accepts nothing else as proof of an amount.';
comment on column previous_transaction.raw is 'The bytes from which the hash is made, so without witnesses.';

create table seal_countersignature (
  database_id uuid not null,
  sequence bigint not null,
  hash bytea not null,
  signature text not null,
  signed_at timestamp(3) with time zone not null default coffer_now(),
  constraint seal_countersignature_pkey PRIMARY KEY (database_id, sequence, signature),
  constraint seal_countersignature_hash_check CHECK ((length(hash) = 32)),
  constraint seal_countersignature_sequence_check CHECK ((sequence > 0))
);
comment on table seal_countersignature is 'A head of the sealed history as the signer countersigned it, with which a database that goes back in time or is changed can be detected. Rows are append-only, and anybody who can write to the database can add forged ones, so the signature must be verified.';
comment on column seal_countersignature.database_id is 'The id in database_identity when the head was countersigned.';
comment on column seal_countersignature.hash is 'The hash of the seal with this sequence.';
comment on column seal_countersignature.signature is 'The signer''s signature over database_id, sequence and hash. It is part of the primary key, so that a forged row cannot keep the right one out.';
CREATE TRIGGER seal_countersignature_append_only BEFORE DELETE OR UPDATE ON public.seal_countersignature FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seal_countersignature_no_truncate BEFORE TRUNCATE ON public.seal_countersignature FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table signer_log_generation (
  only_row boolean not null default true,
  generation bigint,
  rewound_position bigint,
  constraint signer_log_generation_pkey PRIMARY KEY (only_row),
  constraint signer_log_generation_only_row_check CHECK (only_row)
);
comment on table signer_log_generation is 'Which generation of the signer''s log this database follows. There is exactly one row.';
comment on column signer_log_generation.generation is 'The generation that the signer attested; null before the first. A higher one starts a recovery of every network. A lower one halts payouts, and is followed with such a recovery once an operator lifts the halt.';
comment on column signer_log_generation.rewound_position is 'The position at which the log was found to lack adopted entries or to be of a lower generation; null if it was not. If an operator lifts the halt while it is still so, the log is followed from its start.';

create table signer_log_position (
  only_row boolean not null default true,
  last_sequence bigint not null default 0,
  constraint signer_log_position_pkey PRIMARY KEY (only_row),
  constraint signer_log_position_only_row_check CHECK (only_row)
);
comment on table signer_log_position is 'How much of the signer''s log the database has adopted. There is exactly one row, and nothing is planned before the whole log is adopted.';
comment on column signer_log_position.last_sequence is 'The sequence of the last adopted entry; 0 if there is none, or if the whole log is to be read again.';

create table spend_floor (
  network text not null,
  asset text not null,
  floor_minor numeric(78,0) not null,
  noted_at timestamp(3) with time zone not null default coffer_now(),
  constraint spend_floor_pkey PRIMARY KEY (network, asset),
  constraint spend_floor_floor_minor_check CHECK ((floor_minor >= (0)::numeric))
);
comment on table spend_floor is 'The smallest amount of an asset on a deposit address, or in an output, that is worth the fee of moving it now. Smaller amounts are not moved and cover no withdrawal.';
comment on column spend_floor.floor_minor is 'In the asset''s smallest unit, as last computed.';

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
  planned_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint sweep_pkey PRIMARY KEY (id),
  constraint sweep_check CHECK (((state = ANY (ARRAY['done'::text, 'dropped'::text])) = (ended_at IS NOT NULL))),
  constraint sweep_check1 CHECK (((state <> 'final'::text) OR ((tx_hash IS NOT NULL) AND (block_height IS NOT NULL) AND (block_hash IS NOT NULL)))),
  constraint sweep_kind_check CHECK ((kind = ANY (ARRAY['sweep'::text, 'top_up'::text, 'direct_sweep'::text, 'deploy'::text]))),
  constraint sweep_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sent'::text, 'final'::text, 'done'::text, 'dropped'::text])))
);
comment on table sweep is 'A transaction that brings the deposits of some addresses to a hot wallet, or that prepares this, as sweeps see it.';
comment on column sweep.id is 'The id of its outgoing transaction.';
comment on column sweep.kind is '`sweep`: takes assets from delegated addresses. `top_up`: sends a deposit address the coin for its own transfer. `direct_sweep`: a transfer that a deposit address itself sends. `deploy`: deploys the contract to which addresses are delegated.';
comment on column sweep.assets is 'The assets that it takes; empty if it takes nothing of a merchant''s.';
comment on column sweep.state is '`planned`: it has its outgoing transaction. `sent`: a node accepted the transaction. `final`: it is in a final block, and what it took is not read yet. `done`: it is stored which deposits it took. `dropped`: it was given up and took nothing.';
comment on column sweep.block_height is 'The final block that contains it; null until then, as are block_hash and is_success.';
comment on column sweep.ended_at is 'Null until it is done or dropped.';
CREATE INDEX sweep_open ON public.sweep USING btree (network, planned_at) WHERE (state <> ALL (ARRAY['done'::text, 'dropped'::text]));

create table sweep_order (
  network text not null,
  ordered_at timestamp(3) with time zone not null default coffer_now(),
  constraint sweep_order_pkey PRIMARY KEY (network)
);
comment on table sweep_order is 'An operator''s order to sweep everything on a network that is worth its fee, including what failed before. Only the last order is kept.';

create table sweep_retry (
  address_id bigint not null,
  asset text not null,
  tries integer not null,
  failed_at timestamp(3) with time zone not null default coffer_now(),
  retry_at timestamp(3) with time zone,
  constraint sweep_retry_pkey PRIMARY KEY (address_id, asset),
  constraint sweep_retry_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint sweep_retry_tries_check CHECK ((tries > 0))
);
comment on table sweep_retry is 'An asset that could not be taken from an address, for example because the token is paused. The row is deleted when a sweep takes it.';
comment on column sweep_retry.tries is 'How often it failed.';
comment on column sweep_retry.retry_at is 'When it is tried again; null if only an operator starts another try.';

create table swept_address (
  sweep_id uuid not null,
  address_id bigint not null,
  constraint swept_address_pkey PRIMARY KEY (sweep_id, address_id),
  constraint swept_address_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint swept_address_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id)
);
comment on table swept_address is 'An address that a sweep empties or tops up. While the sweep is open, no other sweep touches the address.';
CREATE INDEX swept_address_address ON public.swept_address USING btree (address_id);

create table swept_coin (
  sweep_id uuid not null,
  address_id bigint not null,
  amount_minor numeric(78,0) not null,
  constraint swept_coin_pkey PRIMARY KEY (sweep_id, address_id),
  constraint swept_coin_address_id_fkey FOREIGN KEY (address_id) REFERENCES address(id),
  constraint swept_coin_sweep_id_fkey FOREIGN KEY (sweep_id) REFERENCES sweep(id),
  constraint swept_coin_amount_minor_check CHECK ((amount_minor >= (0)::numeric))
);
comment on table swept_coin is 'How much of the network''s coin a finished sweep took from one address. It may be more than the deposits that were booked by then.';
comment on column swept_coin.amount_minor is 'In the coin''s smallest unit, without the fee of the transaction.';
CREATE INDEX swept_coin_address ON public.swept_coin USING btree (address_id);

create table treasury_withdrawal (
  id uuid not null,
  network text not null,
  asset text not null,
  payment_method_id integer not null,
  source text not null,
  amount_minor numeric(78,0) not null,
  state text not null default 'pending'::text,
  tx_hash text,
  created_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint treasury_withdrawal_pkey PRIMARY KEY (id),
  constraint treasury_withdrawal_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint treasury_withdrawal_check CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint treasury_withdrawal_check1 CHECK (((state <> 'completed'::text) OR (tx_hash IS NOT NULL))),
  constraint treasury_withdrawal_source_check CHECK ((source = ANY (ARRAY['capital'::text, 'fees'::text, 'forfeited'::text]))),
  constraint treasury_withdrawal_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])))
);
comment on table treasury_withdrawal is 'An operator''s order to move money of its own from the hot wallets to the cold address. Until it has ended, its amount is reserved.';
comment on column treasury_withdrawal.id is 'Its outgoing transaction has the same id.';
comment on column treasury_withdrawal.source is 'The account of the books from which the money comes.';
comment on column treasury_withdrawal.amount_minor is 'In the asset''s smallest unit.';
comment on column treasury_withdrawal.tx_hash is 'The transaction that was sent last or, once one is in a block, that one; null before anything is sent.';
comment on column treasury_withdrawal.ended_at is 'Null while the order is pending.';
CREATE INDEX treasury_withdrawal_created ON public.treasury_withdrawal USING btree (created_at, id);
CREATE INDEX treasury_withdrawal_pending ON public.treasury_withdrawal USING btree (network, created_at, id) WHERE (state = 'pending'::text);

create table utxo_set_aside (
  network text not null,
  outpoint text not null,
  amount_minor numeric(78,0) not null,
  reason text not null,
  set_aside_at timestamp(3) with time zone not null default coffer_now(),
  constraint utxo_set_aside_pkey PRIMARY KEY (network, outpoint),
  constraint utxo_set_aside_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint utxo_set_aside_reason_check CHECK ((reason = ANY (ARRAY['small'::text, 'books'::text])))
);
comment on table utxo_set_aside is 'A UTXO that forgotten bytes may spend and that could not be respent in a recovery. It pays for nothing until it is respent; the row stays afterwards and counts only while the output is unspent.';
comment on column utxo_set_aside.outpoint is '`<txid>:<vout>`.';
comment on column utxo_set_aside.amount_minor is 'In the coin''s smallest unit.';
comment on column utxo_set_aside.reason is '`small`: spending it costs too much of its amount. `books`: the books do not allow it to be spent.';

create table wallet_outflow (
  network text not null,
  tx_hash text not null,
  wallet text,
  nonce bigint,
  height bigint not null,
  block_hash text not null,
  kind text not null,
  detail text not null,
  raw text not null,
  fee_minor numeric(78,0) not null,
  found_at timestamp(3) with time zone not null default coffer_now(),
  pinned_outpoint text,
  constraint wallet_outflow_pkey PRIMARY KEY (network, tx_hash),
  constraint wallet_outflow_nonce_unique UNIQUE (network, wallet, nonce),
  constraint wallet_outflow_fee_minor_check CHECK ((fee_minor >= (0)::numeric)),
  constraint wallet_outflow_kind_check CHECK ((kind = ANY (ARRAY['own'::text, 'failed'::text, 'unknown'::text]))),
  constraint wallet_outflow_nonce_check CHECK ((nonce >= 0)),
  constraint wallet_outflow_slot CHECK ((((wallet IS NULL) = (nonce IS NULL)) AND ((wallet IS NULL) <> (pinned_outpoint IS NULL))))
);
comment on table wallet_outflow is 'A transaction that spent from our wallets and that neither the database nor the signer''s log knows. It is found in a recovery, which books its fee.';
comment on column wallet_outflow.wallet is 'The address of the hot wallet whose nonce it used on EVM; null on UTXO chains, as is nonce.';
comment on column wallet_outflow.kind is '`own`: to addresses of our own. `failed`: it did nothing but pay its fee. `unknown`: an operator must explain what it moved.';
comment on column wallet_outflow.detail is 'What it did, in words.';
comment on column wallet_outflow.raw is 'The signed transaction in hex without the prefix 0x.';
comment on column wallet_outflow.fee_minor is 'In the smallest unit of the network''s coin.';
comment on column wallet_outflow.pinned_outpoint is 'The first of our UTXOs that it spent on UTXO chains; null on EVM.';

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
  created_at timestamp(3) with time zone not null default coffer_now(),
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
  constraint withdrawal_end_reason_check CHECK ((end_reason = ANY (ARRAY['merchant'::text, 'transaction'::text, 'shortfall'::text, 'operator'::text, 'screening'::text]))),
  constraint withdrawal_failure_asset_price_usd_check CHECK ((failure_asset_price_usd > (0)::numeric)),
  constraint withdrawal_failure_coin_price_usd_check CHECK ((failure_coin_price_usd > (0)::numeric)),
  constraint withdrawal_failure_prices CHECK (((failure_coin_price_usd IS NULL) = (failure_asset_price_usd IS NULL))),
  constraint withdrawal_gas_budget_cost_minor_check CHECK ((gas_budget_cost_minor >= (0)::numeric)),
  constraint withdrawal_network_cost_minor_check CHECK ((network_cost_minor > (0)::numeric)),
  constraint withdrawal_order_signature_check CHECK ((order_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$'::text)),
  constraint withdrawal_release_signature_check CHECK ((release_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$'::text)),
  constraint withdrawal_stage_check CHECK ((stage = ANY (ARRAY['queued'::text, 'approved'::text, 'planned'::text, 'signed'::text, 'broadcast'::text, 'needs_recheck'::text]))),
  constraint withdrawal_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint withdrawal_waits_for_check CHECK ((waits_for = ANY (ARRAY['debt'::text, 'funds'::text, 'screening'::text, 'rate'::text, 'operator'::text, 'gas-budget'::text]))),
  constraint withdrawal_waits_while_queued CHECK (((waits_for IS NULL) OR ((waits_for <> 'gas-budget'::text) AND (stage = 'queued'::text)) OR ((waits_for = 'gas-budget'::text) AND (stage = ANY (ARRAY['approved'::text, 'planned'::text])) AND (gas_budget_cost_minor IS NOT NULL) AND (gas_budget_retry_at IS NOT NULL))))
);
comment on table withdrawal is 'A merchant''s order to send money. A hold on its whole amount is in the books from the order to its end.';
comment on column withdrawal.asset is 'The asset as `<network>/<symbol>`.';
comment on column withdrawal.address is 'The destination in canonical form.';
comment on column withdrawal.amount_minor is 'What leaves the merchant''s balance, in the asset''s smallest unit. The recipient gets this less fee_minor.';
comment on column withdrawal.amount is 'The same amount in whole units, by which lists with several assets are sorted.';
comment on column withdrawal.fee_minor is 'The fee that the merchant pays, in the asset''s smallest unit.';
comment on column withdrawal.state is '`pending` until it ends as `completed`, `failed` or `cancelled`. A withdrawal that turns out to be signed after it ended unpaid becomes pending again.';
comment on column withdrawal.stage is 'How far a pending withdrawal has come: `queued`, `approved`, `planned`, `signed`, `broadcast`, or `needs_recheck` if it was sent and no node reports what became of it. Null once it has ended.';
comment on column withdrawal.tx_hash is 'The attempt that was sent last or, once an attempt is in a block, that attempt; null before anything is sent.';
comment on column withdrawal.invoice_id is 'The `withdraw` invoice whose claim it pays; null if it pays none.';
comment on column withdrawal.ended_at is 'Null while the withdrawal is pending.';
comment on column withdrawal.approval_mac is 'HMAC-SHA256 in hex under the intent key, made at approval over the network, the order, its contract, what the recipient gets, the fee, the claim and order_signature. The signer verifies it; null until the order is approved.';
comment on column withdrawal.waits_for is 'What it waits for: `debt`: the merchant has a negative balance. `funds`: it is not covered. `screening`: it is not known yet whether the destination is listed. `rate`: there is no price. `operator`: an operator must agree. `gas-budget`: the merchant caused too much in network fees within 24 hours. Null if it waits for nothing, or was not checked yet.';
comment on column withdrawal.released_at is 'When an operator released it whatever it is worth; null if none did.';
comment on column withdrawal.end_reason is 'Who or what ended it: the merchant, its outgoing transaction, a `shortfall` after a reorganisation, an operator, or screening of the destination. Null for pending and completed withdrawals.';
comment on column withdrawal.end_explanation is 'Why it ended, in words for the merchant; null if there is nothing to explain.';
comment on column withdrawal.retaken_at is 'When it turned out to be signed after it had ended here, so that its amount was held a second time; null otherwise.';
comment on column withdrawal.failure_coin_price_usd is 'The price of the network''s coin at which a failure on chain is charged, in 10^-12 USD per whole unit, kept from before it was planned. Null if failures are not charged.';
comment on column withdrawal.failure_asset_price_usd is 'The price of the asset for the same purpose, in the same unit.';
comment on column withdrawal.network_cost_minor is 'The part of the hold that failures on chain took, in the asset''s smallest unit; null if they took nothing.';
comment on column withdrawal.gas_budget_cost_minor is 'The most that it would have cost when it last waited for the gas budget, in the smallest unit of the network''s coin; null if it never did.';
comment on column withdrawal.gas_budget_retry_at is 'When an order that waits for the gas budget is checked again even if nothing has changed.';
comment on column withdrawal.order_signature is '`<key id>.<base64url>` of the Ed25519 signature of the process that accepted the order, over the network, id, merchant, asset, contract, address, amount, fee and claim. An order without one is never approved; null for some orders that were restored from the signer''s log.';
comment on column withdrawal.release_signature is 'The same over an operator''s release; null if none was made.';
comment on column withdrawal.approved_at is 'When it was approved. The sums of a day are computed from it, and a trigger keeps it from being moved into the past. Null until it is approved.';
comment on column withdrawal.planned_at is 'When its transaction was first planned, which decides the order among merchants; null until then.';
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
