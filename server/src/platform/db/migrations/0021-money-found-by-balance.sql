-- Nodes without call traces are accepted, and the coin that contracts send is then found by comparing balances. A process
-- of the version before takes such deposits for false ones, so it must not run beside this version.

alter table block add column traced_by text,
  add constraint block_traced_by_check check (traced_by in ('trace_block', 'debug_traceBlockByHash', 'none'));
comment on column block.traced_by is
  'The method by which a node reported the calls of the block. `none`: no node reported them, so the coin that contracts sent is missing. Null for a block without transactions, for a block from before this column, and on UTXO chains.';
create index block_untraced on block (network, height) where traced_by = 'none';
create index block_traced on block (network, height) where traced_by is not null;

comment on column deposit.transfer_key is
  'Identifies the transfer within its own transaction: `<hash>:log:<index>` or `<hash>:call:<index>` on EVM, and the outpoint `<txid>:<vout>` on UTXO chains. It stays the same if the transaction is mined in another block. `balance:<chain id>:<address>:<height>` for money that was found by comparing the balance at that block.';
comment on column deposit.tx_hash is
  'The hash of the transaction. It equals transfer_key if the deposit was found by balance, because its transactions are not known.';

create table own_transfer (
  network text not null,
  transfer_key text not null,
  address_id bigint not null references address (id),
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  block_height bigint not null,
  primary key (network, transfer_key)
);
comment on table own_transfer is
  'Coin that one of our addresses sent to a deposit address on an EVM network, such as the top-up for a fee. It is no deposit. Its balance is compared with the books, so it has to be known.';
comment on column own_transfer.transfer_key is 'Identifies the transfer, in the form of deposit.transfer_key.';
comment on column own_transfer.amount_minor is 'In the coin''s smallest unit.';
create index own_transfer_address on own_transfer (address_id);
create index own_transfer_height on own_transfer (network, block_height);

create table swept_coin (
  sweep_id uuid not null references sweep (id),
  address_id bigint not null references address (id),
  amount_minor numeric(78, 0) not null check (amount_minor >= 0),
  primary key (sweep_id, address_id)
);
comment on table swept_coin is
  'How much of the network''s coin a finished sweep took from one address. It may be more than the deposits that were booked by then.';
comment on column swept_coin.amount_minor is 'In the coin''s smallest unit, without the fee of the transaction.';
create index swept_coin_address on swept_coin (address_id);

create table coin_check (
  network text not null,
  address_id bigint not null references address (id) on delete cascade,
  asked_height bigint not null,
  asked_at timestamp(3) with time zone not null default coffer_now(),
  asked_first_at timestamp(3) with time zone not null default coffer_now(),
  checked_height bigint,
  primary key (network, address_id)
);
create index coin_check_address on coin_check (address_id);
comment on table coin_check is
  'A request to compare the coin of an address with the books: before it is swept, because blocks of its network were read without call traces, or after a sweep took more than is booked.';
comment on column coin_check.asked_at is 'The time of the request, or of the last comparison that could not be made.';
comment on column coin_check.asked_first_at is
  'The time since which a comparison is waited for. A sweep does not wait longer than an hour.';
comment on column coin_check.asked_height is 'The comparison must be made at this block or at a later one.';
comment on column coin_check.checked_height is 'The block at which it was made; null until then.';
create index coin_check_open on coin_check (network, asked_at) where checked_height is null;

create table balance_pass (
  network text primary key,
  height bigint not null,
  address_id bigint not null,
  rotation_height bigint not null,
  covered_height bigint not null,
  passed_at timestamp(3) with time zone not null default coffer_now()
);
comment on table balance_pass is
  'The progress of comparing balances of the coin of an EVM network with the books. The addresses of open invoices are compared in each pass, and all addresses in turn.';
comment on column balance_pass.height is 'The final block of the last pass.';
comment on column balance_pass.address_id is 'The last address that was compared in the current rotation through all addresses; 0 at its start.';
comment on column balance_pass.rotation_height is 'The block of the pass with which the current rotation began.';
comment on column balance_pass.covered_height is 'All addresses were compared at this block or later; -1 before the first rotation ends.';

create table explained_transfer (
  network text not null,
  transfer_key text not null,
  deposit_id uuid not null references deposit (id),
  tx_hash text not null,
  recipient text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  block_height bigint not null,
  explained_at timestamp(3) with time zone not null default coffer_now(),
  primary key (network, transfer_key)
);
comment on table explained_transfer is
  'A transfer of coin that was read later in a block below a deposit that was found by balance. The deposit contains its amount, so it is never booked.';
comment on column explained_transfer.transfer_key is 'Identifies the transfer, in the form of deposit.transfer_key.';
comment on column explained_transfer.amount_minor is 'In the coin''s smallest unit.';
create index explained_transfer_deposit on explained_transfer (deposit_id);
