-- A second thing to prove at a login: codes of an app (TOTP, RFC 6238), and recovery codes for who lost it.

create table second_factor (
  account_id uuid primary key references account on delete cascade,
  -- AES-256-GCM under ENCRYPTION_KEY.
  sealed_secret bytea not null,
  created_at timestamptz(3) not null default now(),
  -- Asked for at logins from then on; until then it was only shown.
  confirmed_at timestamptz(3),
  -- The step of the last code that was taken: neither it nor an earlier one is taken again.
  used_step bigint not null default 0
);

create table recovery_code (
  account_id uuid not null references second_factor on delete cascade,
  -- SHA-256: the code itself is shown once, and too random to be tried.
  code_hash bytea not null,
  used_at timestamptz(3),
  primary key (account_id, code_hash)
);
