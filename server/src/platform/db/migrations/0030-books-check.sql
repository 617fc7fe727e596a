-- When the books were last checked to the end. Payouts wait where the next check is overdue.
create table books_check (
  singleton boolean primary key default true check (singleton),
  checked_at timestamptz(3),
  due_at timestamptz(3) not null
);

-- Whoever comes from a version that did not write this down, or begins, has time for the first check.
insert into books_check (due_at) values (now() + interval '1 hour');
