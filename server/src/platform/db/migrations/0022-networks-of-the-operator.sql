-- expand
-- An operator adds networks and tokens to its own installation. Processes of the version before do not know them and go
-- on without them.

create table own_row_entry (
  id bigint generated always as identity primary key,
  text text not null,
  signature text not null,
  created_at timestamptz(3) not null default coffer_now()
);
comment on table own_row_entry is
  'Signed entries that add the operator''s own networks and tokens, and enable or disable them. Rows are append-only. An entry is used only if the operator signed it and it continues the chain of entries.';
comment on column own_row_entry.text is
  'The signed text: JSON with the number of the entry, the hash of the entry before it, the installation, and the change.';
comment on column own_row_entry.signature is 'The Ed25519 signature of the text: the id of the key, a point, and base64url.';
create trigger own_row_entry_append_only before delete or update on own_row_entry for each row execute function refuse_change();
create trigger own_row_entry_no_truncate before truncate on own_row_entry for each statement execute function refuse_change();

create table own_network_nodes (
  network text primary key,
  sealed bytea not null
);
comment on table own_network_nodes is 'The nodes of an operator''s own network. Their URLs often contain keys.';
comment on column own_network_nodes.network is 'The name of the network.';
comment on column own_network_nodes.sealed is
  'A list of URLs in JSON with a random salt, encrypted under ENCRYPTION_KEY. The signed entry of the network contains the hash of the text.';

create table own_row_progress (
  network text primary key,
  serial integer not null
);
comment on table own_row_progress is 'How far the watcher of each network knows the operator''s own rows. A network without own rows has none.';
comment on column own_row_progress.network is 'The name of the network, shipped or an operator''s own.';
comment on column own_row_progress.serial is
  'The number of the last entry about this network or its tokens that its watcher reads blocks with. A network or token is offered only from then on.';
