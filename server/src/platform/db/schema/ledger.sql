create table journal (
  id uuid not null,
  kind text not null,
  subject text not null,
  reverses uuid,
  posted_at timestamp(3) with time zone not null default coffer_now(),
  mac text not null default ''::text,
  constraint journal_pkey PRIMARY KEY (id),
  constraint journal_reverses_unique UNIQUE (reverses),
  constraint journal_subject_unique UNIQUE (subject),
  constraint journal_reverses_fkey FOREIGN KEY (reverses) REFERENCES journal(id)
);
comment on table journal is 'One event in the double-entry ledger. Rows are append-only, and a deferred trigger rejects a journal whose lines do not balance in every asset.';
comment on column journal.kind is 'What kind of event it is, such as `deposit.credited`; reversals end in `.reversed`.';
comment on column journal.subject is 'Identifies the event for ever, so a repeated posting is rejected.';
comment on column journal.reverses is 'The journal that this one reverses, with exactly opposite lines; null for any other journal. A journal is reversed at most once.';
comment on column journal.mac is 'MAC under a key of the books over everything but posted_at: id, kind, subject, reverses and all lines with account name, owner, asset and amounts. Without a valid MAC no process of Coffer posted the journal.';
CREATE TRIGGER journal_append_only BEFORE DELETE OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER journal_must_balance AFTER INSERT ON public.journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION journal_must_balance();
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON public.journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_line (
  journal_id uuid not null,
  ordinal smallint not null,
  account_id bigint not null,
  debit numeric(78,0) not null,
  credit numeric(78,0) not null,
  constraint journal_line_pkey PRIMARY KEY (journal_id, ordinal),
  constraint journal_line_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_account(id),
  constraint journal_line_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id),
  constraint journal_line_check CHECK (((debit = (0)::numeric) <> (credit = (0)::numeric))),
  constraint journal_line_credit_check CHECK ((credit >= (0)::numeric)),
  constraint journal_line_debit_check CHECK ((debit >= (0)::numeric))
);
comment on table journal_line is 'One side of a journal: an amount on one account. Lines are append-only and can be added only in the transaction that posts their journal.';
comment on column journal_line.ordinal is 'The position of the line in its journal, from 0. The hash of the seal covers it.';
comment on column journal_line.debit is 'In the smallest unit of the account''s asset. Exactly one of debit and credit is above zero.';
comment on column journal_line.credit is 'In the smallest unit of the account''s asset.';
CREATE INDEX journal_line_account ON public.journal_line USING btree (account_id, journal_id);
CREATE TRIGGER journal_line_append_only BEFORE DELETE OR UPDATE ON public.journal_line FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_line_must_be_new AFTER INSERT ON public.journal_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION journal_must_be_new();
CREATE TRIGGER journal_line_no_truncate BEFORE TRUNCATE ON public.journal_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_seal (
  sequence bigint not null,
  journal_id uuid not null,
  hash bytea not null,
  constraint journal_seal_pkey PRIMARY KEY (sequence),
  constraint journal_seal_journal_unique UNIQUE (journal_id),
  constraint journal_seal_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id),
  constraint journal_seal_hash_check CHECK ((length(hash) = 32)),
  constraint journal_seal_sequence_check CHECK ((sequence > 0))
);
comment on table journal_seal is 'The position and the hash of a journal in the sealed history, written by the sealer alone. Rows are append-only; a changed journal or a removed one breaks the chain of hashes.';
comment on column journal_seal.sequence is 'Positions have no gaps and begin at 1.';
comment on column journal_seal.hash is 'SHA-256 of the previous hash (32 zero bytes before the first) followed by the canonical text of the journal, which `canonicalText` in ledger/seal.ts defines.';
CREATE TRIGGER journal_seal_append_only BEFORE DELETE OR UPDATE ON public.journal_seal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_seal_no_truncate BEFORE TRUNCATE ON public.journal_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table journal_unsealed (
  journal_id uuid not null,
  constraint journal_unsealed_pkey PRIMARY KEY (journal_id),
  constraint journal_unsealed_journal_id_fkey FOREIGN KEY (journal_id) REFERENCES journal(id)
);
comment on table journal_unsealed is 'A journal that is posted and not sealed yet. A row can be deleted only in a transaction in which the journal has a seal.';
CREATE TRIGGER journal_unsealed_append_only BEFORE UPDATE ON public.journal_unsealed FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_unsealed_no_truncate BEFORE TRUNCATE ON public.journal_unsealed FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_unsealed_until_sealed AFTER DELETE ON public.journal_unsealed REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION unsealed_must_be_sealed();

create table ledger_account (
  id bigint not null generated always as identity,
  name text not null,
  owner_id uuid,
  asset text not null,
  debits numeric(98,0) not null default 0,
  credits numeric(98,0) not null default 0,
  constraint ledger_account_pkey PRIMARY KEY (id),
  constraint ledger_account_unique UNIQUE NULLS NOT DISTINCT (name, owner_id, asset),
  constraint ledger_account_credits_check CHECK ((credits >= (0)::numeric)),
  constraint ledger_account_debits_check CHECK ((debits >= (0)::numeric)),
  constraint ledger_account_no_overdraft CHECK (((name <> ALL (ARRAY['available'::text, 'held'::text, 'quarantine'::text])) OR (credits >= debits)))
);
comment on table ledger_account is 'An account of the books in one asset, with the totals of its lines. The balance is the difference of the two totals, which only grow.';
comment on column ledger_account.name is '`available`, `held` and `quarantine` are owed to a merchant and never fall below zero; the others are Coffer''s own, such as `custody`, `fees`, `network_fees`, `capital`, `below_minimum`, `receivable`, `unattributed` and `forfeited`. `custody`, `network_fees` and `receivable` grow on the debit side.';
comment on column ledger_account.owner_id is 'The merchant. Coffer''s own accounts have a sub-account for each merchant involved, so that transactions do not wait for one row; null where no merchant is involved.';
comment on column ledger_account.asset is 'The asset as `<network>/<symbol>`.';
comment on column ledger_account.debits is 'The sum of all debits in the asset''s smallest unit. It has room for 10^20 amounts of 2^256.';
comment on column ledger_account.credits is 'The sum of all credits in the asset''s smallest unit.';
CREATE INDEX ledger_account_owner ON public.ledger_account USING btree (owner_id) WHERE (owner_id IS NOT NULL);

create table sealed_balance (
  owner_id uuid not null,
  sequence bigint not null,
  hash bytea not null,
  sums jsonb not null,
  mac text not null,
  constraint sealed_balance_pkey PRIMARY KEY (owner_id),
  constraint sealed_balance_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES merchant(id),
  constraint sealed_balance_sequence_check CHECK ((sequence > 0))
);
comment on table sealed_balance is 'The sums of a merchant''s sealed journals up to a seal, so that history is not read again for each approval. A row that has no valid MAC, or whose seal is not in history, counts as none.';
comment on column sealed_balance.owner_id is 'The merchant.';
comment on column sealed_balance.hash is 'The hash of the seal with this sequence.';
comment on column sealed_balance.sums is 'By asset: `[["<asset>", "<available>", "<available and held>", "<receivable>"], ...]`, as decimal texts of credits less debits in the smallest unit. The receivable is below zero if the merchant owes.';
comment on column sealed_balance.mac is 'MAC under a key of the books over all other columns.';
