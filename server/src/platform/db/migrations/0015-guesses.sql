-- Guesses at what strangers should not find out (a password, which emails have accounts), as long as they count towards
-- a limit: rows and not counters, so that a limit holds for any stretch of time and over all processes.
create table guess (
  id uuid primary key,
  -- Who guesses: a network such as 192.0.2.0/24, or an account.
  source text not null,
  -- Four bytes of a hash of what is guessed at: enough to tell a source's guesses apart, too few to find out an email,
  -- or a password that was typed into the wrong field.
  subject_hash bytea not null check (length(subject_hash) = 4),
  -- Whose password it was about, if anyone's.
  account_id uuid references account on delete cascade,
  made_at timestamptz(3) not null default now(),
  -- Null while it is not known yet whether the guess was right; one that was is deleted.
  failed_at timestamptz(3)
);
create index guess_source on guess (source, made_at);
create index guess_account on guess (account_id, made_at);
create index guess_made on guess (made_at);

-- When a login that is not refreshed ends; null for what cannot be refreshed.
alter table session add column idle_expires_at timestamptz(3);
