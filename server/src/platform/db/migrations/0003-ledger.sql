-- The books: journals in double entry, their seals and the signatures under them.

create function journal_must_balance()
returns trigger
language plpgsql
AS $function$
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
$function$;

create function journal_must_be_new()
returns trigger
language plpgsql
AS $function$
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
$function$;

create function unsealed_must_be_sealed()
returns trigger
language plpgsql
AS $function$
begin
  if exists (select from removed where not exists (select from journal_seal where journal_seal.journal_id = removed.journal_id)) then
    raise exception 'a journal is taken off the list of journal_unsealed without a seal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;

create table journal (
  id uuid not null,
  kind text not null,
  subject text not null,
  reverses uuid,
  posted_at timestamptz(3) not null default now(),
  mac text not null default '',
  constraint journal_pkey primary key (id),
  constraint journal_reverses_unique unique (reverses),
  constraint journal_subject_unique unique (subject),
  constraint journal_reverses_fkey foreign key (reverses) references journal(id)
);
comment on table journal is
  'One event in the double-entry ledger. Rows are append-only, and a deferred trigger rejects a journal whose lines do not balance in every asset.';
comment on column journal.kind is
  'What kind of event it is, such as `deposit.credited`; reversals end in `.reversed`.';
comment on column journal.subject is
  'Identifies the event for ever, so a repeated posting is rejected.';
comment on column journal.reverses is
  'The journal that this one reverses, with exactly opposite lines; null for any other journal. A journal is reversed at most once.';
comment on column journal.mac is
  'MAC under a key of the books over everything but posted_at: id, kind, subject, reverses and all lines with account name, owner, asset and amounts. Without a valid MAC no process of Coffer posted the journal.';
create trigger journal_append_only before delete or update on journal for each row execute function refuse_change();
create constraint trigger journal_must_balance after insert on journal deferrable initially deferred for each row execute function journal_must_balance();
create trigger journal_no_truncate before truncate on journal for each statement execute function refuse_change();

create table ledger_account (
  id bigint not null generated always as identity,
  name text not null,
  owner_id uuid,
  asset text not null,
  debits numeric(98, 0) not null default 0,
  credits numeric(98, 0) not null default 0,
  constraint ledger_account_pkey primary key (id),
  constraint ledger_account_unique unique nulls not distinct (name, owner_id, asset),
  constraint ledger_account_credits_check check (credits >= 0),
  constraint ledger_account_debits_check check (debits >= 0),
  constraint ledger_account_no_overdraft check ((name not in ('available', 'held', 'quarantine')) or (credits >= debits))
);
comment on table ledger_account is
  'An account of the books in one asset, with the totals of its lines. The balance is the difference of the two totals, which only grow.';
comment on column ledger_account.name is
  '`available`, `held` and `quarantine` are owed to a merchant and never fall below zero; the others are Coffer''s own, such as `custody`, `fees`, `network_fees`, `capital`, `below_minimum`, `receivable`, `unattributed` and `forfeited`. `custody`, `network_fees` and `receivable` grow on the debit side.';
comment on column ledger_account.owner_id is
  'The merchant. Coffer''s own accounts have a sub-account for each merchant involved, so that transactions do not wait for one row; null where no merchant is involved.';
comment on column ledger_account.asset is
  'The asset as `<network>/<symbol>`.';
comment on column ledger_account.debits is
  'The sum of all debits in the asset''s smallest unit. It has room for 10^20 amounts of 2^256.';
comment on column ledger_account.credits is
  'The sum of all credits in the asset''s smallest unit.';
create index ledger_account_owner on ledger_account (owner_id) where (owner_id is not null);

create table journal_line (
  journal_id uuid not null,
  ordinal smallint not null,
  account_id bigint not null,
  debit numeric(78, 0) not null,
  credit numeric(78, 0) not null,
  constraint journal_line_pkey primary key (journal_id, ordinal),
  constraint journal_line_account_id_fkey foreign key (account_id) references ledger_account(id),
  constraint journal_line_journal_id_fkey foreign key (journal_id) references journal(id),
  constraint journal_line_check check ((debit = 0) <> (credit = 0)),
  constraint journal_line_credit_check check (credit >= 0),
  constraint journal_line_debit_check check (debit >= 0)
);
comment on table journal_line is
  'One side of a journal: an amount on one account. Lines are append-only and can be added only in the transaction that posts their journal.';
comment on column journal_line.ordinal is
  'The position of the line in its journal, from 0. The hash of the seal covers it.';
comment on column journal_line.debit is
  'In the smallest unit of the account''s asset. Exactly one of debit and credit is above zero.';
comment on column journal_line.credit is
  'In the smallest unit of the account''s asset.';
create index journal_line_account on journal_line (account_id, journal_id);
create trigger journal_line_append_only before delete or update on journal_line for each row execute function refuse_change();
create trigger journal_line_must_be_new after insert on journal_line referencing new table as added for each statement execute function journal_must_be_new();
create trigger journal_line_no_truncate before truncate on journal_line for each statement execute function refuse_change();

create table journal_seal (
  sequence bigint not null,
  journal_id uuid not null,
  hash bytea not null,
  constraint journal_seal_pkey primary key (sequence),
  constraint journal_seal_journal_unique unique (journal_id),
  constraint journal_seal_journal_id_fkey foreign key (journal_id) references journal(id),
  constraint journal_seal_hash_check check (length(hash) = 32),
  constraint journal_seal_sequence_check check (sequence > 0)
);
comment on table journal_seal is
  'The position and the hash of a journal in the sealed history, written by the sealer alone. Rows are append-only; a changed journal or a removed one breaks the chain of hashes.';
comment on column journal_seal.sequence is
  'Positions have no gaps and begin at 1.';
comment on column journal_seal.hash is
  'SHA-256 of the previous hash (32 zero bytes before the first) followed by the canonical text of the journal, which `canonicalText` in ledger/seal.ts defines.';
create trigger journal_seal_append_only before delete or update on journal_seal for each row execute function refuse_change();
create trigger journal_seal_no_truncate before truncate on journal_seal for each statement execute function refuse_change();

create table journal_unsealed (
  journal_id uuid not null,
  constraint journal_unsealed_pkey primary key (journal_id),
  constraint journal_unsealed_journal_id_fkey foreign key (journal_id) references journal(id)
);
comment on table journal_unsealed is
  'A journal that is posted and not sealed yet. A row can be deleted only in a transaction in which the journal has a seal.';
create trigger journal_unsealed_append_only before update on journal_unsealed for each row execute function refuse_change();
create trigger journal_unsealed_no_truncate before truncate on journal_unsealed for each statement execute function refuse_change();
create trigger journal_unsealed_until_sealed after delete on journal_unsealed referencing old table as removed for each statement execute function unsealed_must_be_sealed();

create table sealed_balance (
  owner_id uuid not null,
  sequence bigint not null,
  hash bytea not null,
  sums jsonb not null,
  mac text not null,
  constraint sealed_balance_pkey primary key (owner_id),
  constraint sealed_balance_sequence_check check (sequence > 0)
);
comment on table sealed_balance is
  'The sums of a merchant''s sealed journals up to a seal, so that history is not read again for each approval. A row that has no valid MAC, or whose seal is not in history, counts as none.';
comment on column sealed_balance.owner_id is
  'The merchant.';
comment on column sealed_balance.hash is
  'The hash of the seal with this sequence.';
comment on column sealed_balance.sums is
  'By asset: `[["<asset>", "<available>", "<available and held>", "<receivable>"], ...]`, as decimal texts of credits less debits in the smallest unit. The receivable is below zero if the merchant owes.';
comment on column sealed_balance.mac is
  'MAC under a key of the books over all other columns.';
