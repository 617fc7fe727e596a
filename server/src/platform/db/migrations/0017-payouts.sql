-- Transactions of ours. A payout has its place in a wallet's order before anything is signed, and keeps it for ever.
create table hot_wallet (
  network text not null,
  lane smallint not null check (lane >= 0),
  -- In canonical spelling, as the signer attested it.
  address text not null,
  attested_at timestamptz(3) not null default now(),
  primary key (network, lane),
  unique (network, address)
);

create table payout (
  -- Of what it was planned for, so that nothing is planned twice.
  id uuid primary key,
  network text not null,
  kind text not null
    check (kind in ('withdrawal', 'sweep', 'top_up', 'forward', 'rebalance', 'take_out', 'deploy')),
  -- As intentText writes it: the exact words that go to the signer.
  intent text not null,
  -- {"type":"lane","lane":0} or {"type":"deposit","branch":1,"index":2}
  wallet_place jsonb not null,
  wallet text not null,
  nonce bigint not null check (nonce >= 0),
  state text not null default 'planned'
    check (state in ('planned', 'signed', 'broadcast', 'in_doubt', 'included', 'final', 'displaced')),
  -- What is offered for being mined: by the dearest attempt, or by the next one that is to be signed.
  gas numeric(78, 0) not null check (gas >= 0),
  max_fee_minor numeric(78, 0) not null check (max_fee_minor >= 0),
  tip_minor numeric(78, 0) not null check (tip_minor >= 0),
  -- The most that can cost in the network's coin.
  max_cost_minor numeric(78, 0) not null generated always as (gas * max_fee_minor) stored,
  -- What leaves the wallet beside it; null where nothing does.
  spent_asset text,
  spent_contract text,
  spent_minor numeric(78, 0) check (spent_minor >= 0),
  -- How often its price was raised.
  bumps smallint not null default 0 check (bumps >= 0),
  -- The height of our blocks when bytes of it were last handed to a node.
  sent_height bigint,
  -- The same of the first time that these bytes were.
  offered_height bigint,
  included_tx_hash text,
  included_height bigint,
  included_block_hash text,
  is_success boolean,
  fee_minor numeric(78, 0) check (fee_minor >= 0),
  planned_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  -- One transaction for each place in a wallet's order: two payouts never share a nonce.
  constraint payout_nonce_unique unique (network, wallet, nonce),
  check ((state in ('included', 'final')) = (included_height is not null)),
  check ((included_height is null) = (included_block_hash is null)),
  check ((included_height is null) = (included_tx_hash is null)),
  check ((included_height is null) = (is_success is null)),
  check ((included_height is null) = (fee_minor is null)),
  check ((state in ('final', 'displaced')) = (ended_at is not null)),
  check ((spent_asset is null) = (spent_minor is null))
);
create index payout_open on payout (network, planned_at, id) where state not in ('final', 'displaced');
create index payout_included on payout (network, included_height) where included_height is not null;

-- Bytes that were signed; stored before they are sent. The attempts of a payout share its nonce.
create table payout_attempt (
  network text not null,
  tx_hash text not null,
  payout_id uuid not null references payout,
  -- The signed transaction, in hex without prefix.
  raw text not null,
  gas numeric(78, 0) not null,
  max_fee_minor numeric(78, 0) not null,
  tip_minor numeric(78, 0) not null,
  signed_at timestamptz(3) not null default now(),
  broadcast_at timestamptz(3),
  primary key (network, tx_hash)
);
create index payout_attempt_payout on payout_attempt (payout_id);

-- Planned, and refused by the signer before anything was signed. It gave its nonce back; it is planned anew at its time,
-- or when an operator says so.
create table payout_refusal (
  payout_id uuid primary key,
  network text not null,
  kind text not null,
  intent text not null,
  -- The wallet that must send it; null where any lane may.
  wallet_place jsonb,
  spent_asset text,
  spent_contract text,
  spent_minor numeric(78, 0),
  code text not null,
  detail text not null,
  refused_at timestamptz(3) not null default now(),
  -- Null where only an operator can help.
  retry_at timestamptz(3)
);

-- What keeps payouts of a network waiting just now; in its own words for people.
create table payout_wait (
  network text not null,
  cause text not null,
  detail text not null,
  since timestamptz(3) not null default now(),
  primary key (network, cause)
);

-- How much of the signer's log the database holds; nothing is planned before it holds all of it.
create table signer_log_mark (
  only_row boolean primary key default true check (only_row),
  last_sequence bigint not null default 0
);
insert into signer_log_mark default values;

-- Why no money leaves, for as long as a row is there. An operator or the check that made it takes it back.
create table payout_halt (
  cause text primary key,
  detail text not null,
  since timestamptz(3) not null default now()
);

-- Made when a withdrawal is approved, over what was approved; the signer compares it with what it is asked to sign.
alter table withdrawal add column approval_mac text;
