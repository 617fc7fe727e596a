-- Halts are kept for ever. One is over once its lift is here, signed on the signer's host: payouts look at the signature,
-- pages at the row. `ordinal` counts the halts of a cause, so that one of each stands at a time.
alter table payout_halt
  add column id uuid not null default gen_random_uuid(),
  add column ordinal integer not null default 1 check (ordinal > 0);
alter table payout_halt drop constraint payout_halt_pkey;
alter table payout_halt add constraint payout_halt_pkey primary key (id);
alter table payout_halt add constraint payout_halt_ordinal_unique unique (cause, ordinal);

-- The signature is part of the key: a row that nobody signed keeps no right one out.
create table payout_halt_lift (
  halt_id uuid not null references payout_halt,
  statement text not null,
  signature text not null,
  lifted_at timestamptz(3) not null default now(),
  primary key (halt_id, signature)
);

-- The key of those statements, as the signer showed it.
create table attested_statement_key (
  only_row boolean primary key default true check (only_row),
  public_key text not null check (public_key ~ '^[0-9a-f]{64}$'),
  attested_at timestamptz(3) not null default now()
);

-- Heads of the sealed journal as the signer countersigned them, with the incarnation in which it did.
create table seal_countersignature (
  incarnation_id uuid not null,
  sequence bigint not null check (sequence > 0),
  hash bytea not null check (length(hash) = 32),
  signature text not null,
  signed_at timestamptz(3) not null default now(),
  primary key (incarnation_id, sequence)
);

create trigger payout_halt_append_only before update or delete on payout_halt
  for each row execute function refuse_change();
create trigger payout_halt_lift_append_only before update or delete on payout_halt_lift
  for each row execute function refuse_change();
create trigger seal_countersignature_append_only before update or delete on seal_countersignature
  for each row execute function refuse_change();
create trigger payout_halt_no_truncate before truncate on payout_halt
  for each statement execute function refuse_change();
create trigger payout_halt_lift_no_truncate before truncate on payout_halt_lift
  for each statement execute function refuse_change();
create trigger seal_countersignature_no_truncate before truncate on seal_countersignature
  for each statement execute function refuse_change();
