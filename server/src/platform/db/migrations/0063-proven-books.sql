-- Up to which seal the books were proven, with what the lines of each account came to there. Under a MAC of the books' keys: one
-- that does not hold, or is of another history, is as if it were not there, and all is proven anew.
create table proven_books (
  -- By whom: `verify`, or the check that never ends (`standing`).
  prover text primary key check (prover in ('verify', 'standing')),
  sequence bigint not null check (sequence >= 0),
  -- Of the seal with that sequence; null where there was none.
  hash bytea check (length(hash) = 32),
  -- When the proof began: what was written later is not covered.
  began_at timestamptz not null,
  -- When everything was last looked at; null where it never was.
  full_at timestamptz,
  -- By account: [[account, debits, credits], ...], as decimal numbers.
  sums jsonb not null,
  mac text not null
);

-- Which merchants are told of what happens begins with when they were restored, which verify asks for each stretch of rows.
create index audit_entry_restored on audit_entry (merchant_id, happened_at) where action = 'merchant.restored';
