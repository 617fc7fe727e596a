-- Database and signer's log can go back in time together (a snapshot of the machine): what the chain shows beyond both is
-- taken over, and the places in which forgotten bytes could still be mined are used up, before anything else is sent.

-- Of a network whose outgoing payments wait for that; the row goes once it is over.
create table payout_recovery (
  network text primary key,
  -- The sign of going back.
  reason text not null,
  requested_at timestamptz(3) not null default now(),
  -- What has to be used up; null until the nodes were asked. Accounts: by wallet, the nonce below which all must be final.
  targets jsonb
);

-- What left a hot wallet by a transaction that nobody here knows of, and that pays no order.
create table payout_outflow (
  network text not null,
  tx_hash text not null,
  wallet text not null,
  nonce bigint not null check (nonce >= 0),
  height bigint not null,
  block_hash text not null,
  -- own: to addresses of our own. failed: it did nothing but cost its fee. unknown: an operator must account for it.
  kind text not null check (kind in ('own', 'failed', 'unknown')),
  -- In words.
  detail text not null,
  -- The signed transaction, in hex without prefix.
  raw text not null,
  fee_minor numeric(78, 0) not null check (fee_minor >= 0),
  found_at timestamptz(3) not null default now(),
  primary key (network, tx_hash),
  constraint payout_outflow_nonce_unique unique (network, wallet, nonce)
);

-- Of a payout that was displaced: what took its place is known, as another payout or as an outflow.
alter table payout
  add column is_superseded boolean not null default false,
  add constraint payout_superseded_check check (not is_superseded or state = 'displaced'),
  drop constraint payout_nonce_unique,
  add constraint payout_nonce_unique unique (network, wallet, nonce, is_superseded);

-- Which life of the signer's log this database has followed, and the mark at which the log was found to be another one.
create table signer_log_life (
  only_row boolean primary key default true check (only_row),
  incarnation bigint,
  rewound_mark bigint
);
insert into signer_log_life default values;
