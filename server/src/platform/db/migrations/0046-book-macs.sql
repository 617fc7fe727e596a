-- MACs over what the books are made of, under keys that are never in the database: whoever writes rows alone, a superuser
-- included, cannot make one. Rows of before carry none, and neither does what anybody else inserts: nothing counts by it.

alter table journal add column mac text not null default '';
alter table transaction add column mac text not null default '';
alter table quote add column mac text not null default '';

-- Over the address, whose it is and what its invoice asks for; null as long as it is nobody's.
alter table address add column assignment_mac text;

-- The ids of the keys under which MACs were made here. A process that lacks one of them is not started.
create table books_key (
  id text primary key,
  noted_at timestamptz(3) not null default now()
);

-- What was found in the database that no process of ours can have written, once for each subject. Payouts halt by it.
create table tampering (
  id bigint generated always as identity primary key,
  subject text not null constraint tampering_subject_unique unique,
  detail text not null,
  found_at timestamptz(3) not null default now()
);

-- The findings that have halted payouts; what an operator lifts afterwards is not halted by them again.
create table tampering_halt (
  tampering_id bigint primary key references tampering
);
