-- Merchants, and the people who sign in for them.

create table account (
  id uuid not null,
  email text not null,
  password_hash text not null,
  is_operator boolean not null default false,
  created_at timestamptz(3) not null default now(),
  constraint account_pkey primary key (id),
  constraint account_email_unique unique (email)
);
comment on table account is
  'An account is a person who logs in; members join accounts to merchants.';
comment on column account.email is
  'The email is in lower case, trimmed and in Unicode form NFC, as `normalizeEmail` returns it.';
comment on column account.password_hash is
  'The hash is argon2id in PHC string format.';
comment on column account.is_operator is
  'An operator runs this installation and is not limited to merchants of which the account is a member.';

create table merchant (
  id uuid not null,
  name text not null,
  paid_when text not null default 'included',
  tolerance_basis_points integer not null default 0,
  ip_whitelist text[] not null default '{}'::text[],
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  constraint merchant_pkey primary key (id),
  constraint merchant_name_check check ((length(name) >= 1) and (length(name) <= 200)),
  constraint merchant_paid_when_check check (paid_when in ('included', 'confirmed')),
  constraint merchant_tolerance_basis_points_check check ((tolerance_basis_points >= 0) and (tolerance_basis_points <= 100))
);
comment on table merchant is
  'A shop or another owner of money, with the settings of its payments. A deleted merchant keeps its row, because the books and the addresses still refer to it.';
comment on column merchant.paid_when is
  'Which payments count for new invoices: `included` those in a block, `confirmed` only confirmed ones.';
comment on column merchant.tolerance_basis_points is
  'The share of an amount that may be missing from a full payment of a new invoice, in hundredths of a percent.';
comment on column merchant.ip_whitelist is
  'The addresses and ranges from which the merchant''s API key may be used; empty if it may be used from anywhere.';
comment on column merchant.deleted_at is
  'Null unless the merchant was deleted. An operator can restore it for some weeks.';

create table api_key (
  merchant_id uuid not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint api_key_pkey primary key (merchant_id),
  constraint api_key_hash_unique unique (key_hash),
  constraint api_key_merchant_id_fkey foreign key (merchant_id) references merchant(id)
);
comment on table api_key is
  'The API key of a merchant, which has at most one; generating a key replaces the one before.';
comment on column api_key.key_hash is
  'SHA-256 of the key. The key itself is not stored.';
comment on column api_key.last_used_at is
  'Null if the key was never used. It is written in batches, and a crash may lose the latest times.';

create table code_pause (
  account_id uuid not null,
  failures integer not null,
  failed_at timestamptz(3) not null default now(),
  constraint code_pause_pkey primary key (account_id),
  constraint code_pause_account_id_fkey foreign key (account_id) references account(id) on delete cascade,
  constraint code_pause_failures_check check (failures > 0)
);
comment on table code_pause is
  'Consecutive wrong codes of the second factor of an account. After each one the next attempt must wait longer; a right code deletes the row.';
comment on column code_pause.failures is
  'The count restarts at 1 if the last wrong code is more than a day old.';

create table login_attempt (
  id uuid not null,
  source text not null,
  subject_hash bytea not null,
  account_id uuid,
  made_at timestamptz(3) not null default now(),
  failed_at timestamptz(3),
  constraint login_attempt_pkey primary key (id),
  constraint login_attempt_account_id_fkey foreign key (account_id) references account(id) on delete cascade,
  constraint login_attempt_subject_hash_check check (length(subject_hash) = 4)
);
comment on table login_attempt is
  'An attempt at a secret, such as a password, that failed or is not decided yet. Attempts are rows and not counters, so that limits hold for any period and over all processes; a right attempt deletes its source''s failures on the same subject.';
comment on column login_attempt.source is
  'Who attempts: a network such as 192.0.2.0/24. For codes of a second factor it is `codes of <account id>`, and the subject is the network instead.';
comment on column login_attempt.subject_hash is
  'The first four bytes of the SHA-256 of the subject, such as the email whose password is attempted. They tell the attempts of a source apart, and are too few to find out an email, or a password that was typed into the wrong field.';
comment on column login_attempt.account_id is
  'The account whose secret is attempted; null if there is no such account.';
comment on column login_attempt.failed_at is
  'Null while the outcome is not known. An undecided attempt counts as a failure for 30 seconds.';
create index login_attempt_account on login_attempt (account_id, made_at);
create index login_attempt_made on login_attempt (made_at);
create index login_attempt_source on login_attempt (source, made_at);

create table member (
  account_id uuid not null,
  merchant_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null default now(),
  constraint member_pkey primary key (account_id, merchant_id),
  constraint member_account_id_fkey foreign key (account_id) references account(id) on delete cascade,
  constraint member_merchant_id_fkey foreign key (merchant_id) references merchant(id),
  constraint member_role_check check (role in ('owner', 'admin', 'viewer'))
);
comment on table member is
  'The membership of an account in a merchant.';
comment on column member.role is
  'What the account may do for the merchant: `owner`, `admin` or `viewer`.';
create index member_merchant on member (merchant_id);

create table second_factor (
  account_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamptz(3) not null default now(),
  confirmed_at timestamptz(3),
  used_step bigint not null default 0,
  constraint second_factor_pkey primary key (account_id),
  constraint second_factor_account_id_fkey foreign key (account_id) references account(id) on delete cascade
);
comment on table second_factor is
  'The second factor of an account: a secret for codes of an authenticator app (TOTP, RFC 6238).';
comment on column second_factor.sealed_secret is
  'The secret, encrypted with AES-256-GCM under ENCRYPTION_KEY.';
comment on column second_factor.confirmed_at is
  'From then on logins ask for a code; null while the secret was only shown.';
comment on column second_factor.used_step is
  'The time step of the last accepted code. Neither it nor an earlier one is accepted again.';

create table recovery_code (
  account_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz(3),
  constraint recovery_code_pkey primary key (account_id, code_hash),
  constraint recovery_code_account_id_fkey foreign key (account_id) references second_factor(account_id) on delete cascade
);
comment on table recovery_code is
  'A code with which an account logs in once without its second factor. Making new codes replaces all of them.';
comment on column recovery_code.code_hash is
  'SHA-256 of the code, which is shown once and too random to be guessed.';
comment on column recovery_code.used_at is
  'Null while the code can be used.';

create table session (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  name text,
  refresh_hash bytea,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  idle_expires_at timestamptz(3),
  cookie_hash bytea,
  seen_at timestamptz(3),
  client_address text,
  user_agent text,
  constraint session_pkey primary key (id),
  constraint session_cookie_hash_unique unique (cookie_hash),
  constraint session_refresh_hash_unique unique (refresh_hash),
  constraint session_account_id_fkey foreign key (account_id) references account(id) on delete cascade,
  constraint session_check check ((type = 'access_token') = (name is not null)),
  constraint session_check1 check ((type = 'login') or (refresh_hash is null)),
  constraint session_cookie_check check ((cookie_hash is null) or ((type = 'login') and (idle_expires_at is not null))),
  constraint session_type_check check (type in ('login', 'access_token')),
  constraint session_user_agent_check check (length(user_agent) <= 256)
);
comment on table session is
  'A login or an API access token of an account. A row that is revoked or expired ends the token on every process at once; old rows are deleted.';
comment on column session.id is
  'Tokens name the session by this id (`jti`).';
comment on column session.type is
  '`login` or `access_token`. A login can be refreshed or kept by a cookie; an access token cannot.';
comment on column session.name is
  'The name of an access token; null for a login.';
comment on column session.refresh_hash is
  'SHA-256 of the current refresh token; null if the session is not refreshed.';
comment on column session.idle_expires_at is
  'When a login that is not used or refreshed ends; null if only expires_at counts.';
comment on column session.cookie_hash is
  'SHA-256 of the cookie of a browser''s login; null for any other session.';
comment on column session.seen_at is
  'When a browser''s login was last used, which is written only at intervals; null if it was not recorded.';
comment on column session.client_address is
  'The address from which a browser''s login began, so that its owner recognises it; null for any other session, as is user_agent.';
create index session_account on session (account_id);

create table webhook_endpoint (
  merchant_id uuid not null,
  url text not null,
  sealed_secret bytea not null,
  token text not null,
  created_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3),
  former_sealed_secret bytea,
  former_valid_until timestamptz(3),
  failing_since timestamptz(3),
  last_failure_at timestamptz(3),
  failures integer not null default 0,
  disabled_reason text,
  rest_until timestamptz(3),
  constraint webhook_endpoint_pkey primary key (merchant_id),
  constraint webhook_endpoint_merchant_id_fkey foreign key (merchant_id) references merchant(id),
  constraint webhook_endpoint_disabled_reason_check check (disabled_reason in ('gone', 'failing')),
  constraint webhook_endpoint_former_check check ((former_sealed_secret is null) = (former_valid_until is null))
);
comment on table webhook_endpoint is
  'Where a merchant''s events are sent; a merchant has at most one endpoint.';
comment on column webhook_endpoint.sealed_secret is
  'The secret that signs deliveries, encrypted with AES-256-GCM under ENCRYPTION_KEY.';
comment on column webhook_endpoint.token is
  'Names this version of the endpoint. It changes when the endpoint is set again, and results of attempts on another version are ignored.';
comment on column webhook_endpoint.disabled_at is
  'Null while the endpoint is enabled.';
comment on column webhook_endpoint.former_sealed_secret is
  'The previous secret, with which deliveries are signed too until former_valid_until; null if there is none.';
comment on column webhook_endpoint.failing_since is
  'When the present run of failures began; null if the endpoint is not failing.';
comment on column webhook_endpoint.failures is
  'The number of failed attempts in the present run.';
comment on column webhook_endpoint.disabled_reason is
  '`gone`: the endpoint answered 410. `failing`: it only failed for too long. It means nothing unless disabled_at is set.';
comment on column webhook_endpoint.rest_until is
  'Nothing is sent before this time, because the endpoint asked for a pause with Retry-After; null if it did not.';
create index webhook_endpoint_former on webhook_endpoint (former_valid_until) where (former_valid_until is not null);
