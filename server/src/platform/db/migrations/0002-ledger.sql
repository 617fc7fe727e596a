-- The books: double entry per asset. Totals only grow; a balance is their difference.

create table ledger_account (
  id bigint generated always as identity primary key,
  name text not null,
  -- The merchant of a merchant account, or of a platform sub-account that is kept per merchant.
  owner_id uuid,
  asset text not null,
  debits numeric(78, 0) not null default 0 check (debits >= 0),
  credits numeric(78, 0) not null default 0 check (credits >= 0),
  constraint ledger_account_unique unique nulls not distinct (name, owner_id, asset),
  -- What Coffer owes a merchant never goes below zero.
  constraint ledger_account_no_overdraft
    check (name not in ('available', 'held', 'quarantine') or credits >= debits)
);
create index ledger_account_owner on ledger_account (owner_id) where owner_id is not null;

create table journal (
  id uuid primary key,
  kind text not null,
  -- What happened, once: the natural key that makes a replay a refusal.
  subject text not null constraint journal_subject_unique unique,
  reverses uuid constraint journal_reverses_unique unique references journal,
  posted_at timestamptz(3) not null default now()
);

create table journal_line (
  journal_id uuid not null references journal,
  place smallint not null,
  account_id bigint not null references ledger_account,
  debit numeric(78, 0) not null check (debit >= 0),
  credit numeric(78, 0) not null check (credit >= 0),
  primary key (journal_id, place),
  check ((debit = 0) <> (credit = 0))
);
create index journal_line_account on journal_line (account_id);

-- The second wall (the first is the constructor, the third the standing check): a journal that does not balance
-- per asset fails at commit.
create function journal_must_balance() returns trigger language plpgsql as $$
begin
  -- The asset by a scalar look-up: a join would be planned as a scan of all accounts on tables without statistics.
  perform from (
    select count(*) as lines, sum(line.debit) = sum(line.credit) as balances
    from (
      select debit, credit, (select asset from ledger_account where id = account_id)
      from journal_line where journal_id = new.id
    ) line
    group by line.asset
  ) asset
  having sum(asset.lines) >= 2 and bool_and(asset.balances);
  if not found then
    raise exception 'journal % does not balance', new.id using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger journal_must_balance after insert on journal
  deferrable initially deferred for each row execute function journal_must_balance();

-- Lines belong to the transaction that wrote their journal: none can be added to a journal already committed.
create function journal_must_be_new() returns trigger language plpgsql as $$
begin
  if exists (
    select from (select distinct journal_id from added) line
    join journal on journal.id = line.journal_id
    where journal.xmin::text <> pg_current_xact_id_if_assigned()::xid::text
  ) then
    raise exception 'lines cannot be added to a posted journal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$$;
create trigger journal_line_must_be_new after insert on journal_line
  referencing new table as added for each statement execute function journal_must_be_new();

-- The order and the fingerprint of history: hash = SHA-256(previous hash, journal). Written by the sealer alone.
create table journal_seal (
  sequence bigint primary key check (sequence > 0),
  journal_id uuid not null constraint journal_seal_journal_unique unique references journal,
  hash bytea not null check (length(hash) = 32)
);

-- Journals the sealer has yet to order; a row leaves in the transaction that seals it.
create table journal_unsealed (
  journal_id uuid primary key references journal
);

create trigger journal_append_only before update or delete on journal
  for each row execute function refuse_change();
create trigger journal_line_append_only before update or delete on journal_line
  for each row execute function refuse_change();
create trigger journal_seal_append_only before update or delete on journal_seal
  for each row execute function refuse_change();
create trigger journal_no_truncate before truncate on journal
  for each statement execute function refuse_change();
create trigger journal_line_no_truncate before truncate on journal_line
  for each statement execute function refuse_change();
create trigger journal_seal_no_truncate before truncate on journal_seal
  for each statement execute function refuse_change();
