-- Once database and signer's log went back in time, coins that forgotten bytes may spend are spent to ourselves first.

-- Payouts of the recovery that is under way, which spend such coins: nothing that was forgotten spends what they make.
create table payout_respend (
  payout_id uuid primary key references payout on delete cascade,
  network text not null
);
create index payout_respend_network on payout_respend (network);

-- Coins that forgotten bytes may spend and that could not be respent: they never pay for anything. They are respent once they
-- are worth their fee, and the books let them be spent.
create table coin_set_aside (
  network text not null,
  outpoint text not null,
  amount_minor numeric(78, 0) not null check (amount_minor > 0),
  -- small: spending it costs too much of it. books: the books let nobody spend it.
  reason text not null check (reason in ('small', 'books')),
  set_aside_at timestamptz(3) not null default now(),
  primary key (network, outpoint)
);

-- Where money lies in coins, what left has no place in the order of a wallet.
alter table payout_outflow alter column nonce drop not null;

-- One place may be taken by several forgotten transactions, one after the other, where blocks are taken back.
alter table payout drop constraint payout_nonce_unique;
create unique index payout_nonce_unique on payout (network, wallet, nonce) where not is_superseded;
