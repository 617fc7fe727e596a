create table books_key (
  id text not null,
  noted_at timestamp(3) with time zone not null default coffer_now(),
  constraint books_key_pkey PRIMARY KEY (id),
  constraint books_key_id_check CHECK ((id ~ '^[0-9a-f]{8}$'::text))
);
comment on table books_key is 'A key of the books under which MACs in this database were made. A process that lacks one of these keys does not start.';
comment on column books_key.id is 'The first eight hex digits of a hash of the key, which do not reveal it. MACs begin with the id of their key and a dot.';
comment on column books_key.noted_at is 'The id is stored before the first MAC is made under its key.';

create table payment_day_change (
  merchant_id uuid not null,
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  worth numeric not null,
  unpriced bigint not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
comment on table payment_day_change is 'A change of the sums of confirmed payments that is not yet added to payment_day_sum. Triggers on deposit insert rows, so writers do not wait for each other; aggregation moves them into the sums.';
comment on column payment_day_change.day is 'The day in UTC on which the payments were confirmed.';
comment on column payment_day_change.payments is 'How many payments are added; below zero if they are taken off. The other columns are differences too.';
CREATE INDEX payment_day_change_merchant ON public.payment_day_change USING btree (merchant_id);

create table payment_day_sum (
  merchant_id uuid not null,
  day date not null,
  payment_method_id integer not null,
  payments bigint not null,
  amount_minor numeric not null,
  worth numeric not null,
  unpriced bigint not null,
  constraint payment_day_sum_pkey PRIMARY KEY (merchant_id, day, payment_method_id)
) with (fillfactor=50);
comment on table payment_day_sum is 'The sum of a merchant''s confirmed payments by day of confirmation and payment method, without those held in quarantine or seized. An exact sum is that of this table and payment_day_change in one snapshot.';
comment on column payment_day_sum.day is 'The day in UTC.';
comment on column payment_day_sum.amount_minor is 'In the asset''s smallest unit.';
comment on column payment_day_sum.worth is 'The sum of amount_minor times price, in which payments without a price count as 0. The price is in 10^-12 USD per whole unit.';
comment on column payment_day_sum.unpriced is 'How many of the payments have no price.';

create table proven_books (
  prover text not null,
  sequence bigint not null,
  hash bytea,
  began_at timestamp with time zone not null,
  full_at timestamp with time zone,
  sums jsonb not null,
  mac text not null,
  constraint proven_books_pkey PRIMARY KEY (prover),
  constraint proven_books_hash_check CHECK ((length(hash) = 32)),
  constraint proven_books_prover_check CHECK ((prover = ANY (ARRAY['verify'::text, 'continuous'::text]))),
  constraint proven_books_sequence_check CHECK ((sequence >= 0))
);
comment on table proven_books is 'The proof of the books of one check: the seal up to which no violation was found, from which the next run goes on. A proof that has no valid MAC, or that is of another history, counts as none.';
comment on column proven_books.prover is '`verify`: `coffer verify`, which covers every invariant. `continuous`: the continuous check, which covers a part of them.';
comment on column proven_books.sequence is 'The sequence of that seal in journal_seal; 0 if nothing was sealed.';
comment on column proven_books.hash is 'The hash of that seal; null if nothing was sealed.';
comment on column proven_books.began_at is 'When the run began that made the proof. Rows that were written later are not covered.';
comment on column proven_books.full_at is 'When everything was last checked in full; null if it never was.';
comment on column proven_books.sums is 'The sums of the lines up to that seal, by account: `[["<account id>", "<debits>", "<credits>"], ...]`, as decimal texts in the order of the account ids.';
comment on column proven_books.mac is 'MAC under a key of the books over all other columns.';
