create table block (
  network text not null,
  height bigint not null,
  hash text not null,
  parent_hash text not null,
  mined_at timestamp(3) with time zone not null,
  traced_by text,
  constraint block_pkey PRIMARY KEY (network, height),
  constraint block_hash_unique UNIQUE (network, hash),
  constraint block_height_check CHECK ((height >= 0)),
  constraint block_traced_by_check CHECK ((traced_by = ANY (ARRAY['trace_block'::text, 'debug_traceBlockByHash'::text, 'none'::text])))
);
comment on table block is 'A canonical block of a network whose effects are booked. Old blocks to which nothing refers are deleted, so there may be gaps below chain_cursor.kept_from.';
comment on column block.mined_at is 'The time in the block''s header, by the clock of its miner.';
comment on column block.traced_by is 'The method by which a node reported the calls of the block. `none`: no node reported them, so the coin that contracts sent is missing. Null for a block without transactions, for a block from before this column, and on UTXO chains.';
CREATE INDEX block_traced ON public.block USING btree (network, height) WHERE (traced_by IS NOT NULL);
CREATE INDEX block_untraced ON public.block USING btree (network, height) WHERE (traced_by = 'none'::text);

create table chain_cursor (
  network text not null,
  height bigint not null,
  hash text not null,
  final_height bigint not null default '-1'::integer,
  first_height bigint not null,
  head_height bigint not null,
  seen_at timestamp with time zone not null default coffer_now(),
  kept_from bigint,
  constraint chain_cursor_pkey PRIMARY KEY (network)
);
comment on table chain_cursor is 'How far a network is booked: the last canonical block whose effects are in the database. The row changes in the same transaction as those effects, and a caller that books on this block locks the row first.';
comment on column chain_cursor.height is 'The height of the last booked block.';
comment on column chain_cursor.final_height is 'The height of the last booked block that the chain itself reports as final; -1 if it has reported none.';
comment on column chain_cursor.first_height is 'The first block ever booked. From it on heights have no gap, except as kept_from says.';
comment on column chain_cursor.head_height is 'The height of the node''s head when the node last answered. It shows how far the booked blocks are behind.';
comment on column chain_cursor.seen_at is 'When a node last answered, by the database''s clock.';
comment on column chain_cursor.kept_from is 'From this height on no block is missing in `block`. Below it only the first block and those that something refers to are kept; null means that none was deleted.';

create table chain_failure (
  network text not null,
  height bigint,
  message text not null,
  failing_since timestamp with time zone not null default coffer_now(),
  constraint chain_failure_pkey PRIMARY KEY (network)
);
comment on table chain_failure is 'Why the next block of a network cannot be booked at present; there is no row while nothing fails. It is a table of its own because a chain can fail before its first block, when it has no cursor.';
comment on column chain_failure.height is 'The block that cannot be booked; null if no block of the network was booked yet.';
comment on column chain_failure.message is 'The text of the error.';
comment on column chain_failure.failing_since is 'When the failure at this height was first seen; a later failure at the same height does not change it.';

create table own_output (
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
  constraint own_output_pkey PRIMARY KEY (network, outpoint),
  constraint own_output_amount_minor_check CHECK ((amount_minor > (0)::numeric)),
  constraint own_output_check CHECK (((spent_by IS NULL) = (spent_height IS NULL)))
);
comment on table own_output is 'An output in a canonical block that pays an address of ours, spent or not. A reorganisation deletes the rows of its blocks.';
comment on column own_output.outpoint is '`<txid>:<vout>`.';
comment on column own_output.address is 'The address is in canonical form.';
comment on column own_output.amount_minor is 'In the coin''s smallest unit.';
comment on column own_output.height is 'The height of the block that contains the output.';
comment on column own_output.matures_after is 'The number of confirmations, its own block counted, before the chain lets the output be spent.';
comment on column own_output.spent_by is 'The hash of the transaction in a canonical block that spends it; null while it is unspent, as is spent_height.';
comment on column own_output.missed_at is 'When operators were told that none of our transactions spent it; null otherwise.';
CREATE INDEX own_output_of_transaction ON public.own_output USING btree (network, tx_hash);
CREATE INDEX own_output_spender ON public.own_output USING btree (network, spent_by) WHERE (spent_by IS NOT NULL);
CREATE INDEX own_output_spent ON public.own_output USING btree (network, spent_height) WHERE (spent_by IS NOT NULL);
CREATE INDEX own_output_unspent ON public.own_output USING btree (network, height) WHERE (spent_by IS NULL);
