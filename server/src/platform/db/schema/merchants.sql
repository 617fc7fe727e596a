create table account (
  id uuid not null,
  email text not null,
  password_hash text not null,
  is_operator boolean not null default false,
  created_at timestamp(3) with time zone not null default coffer_now(),
  constraint account_pkey PRIMARY KEY (id),
  constraint account_email_unique UNIQUE (email)
);
comment on table account is 'An account is a person who logs in; members join accounts to merchants.';
comment on column account.email is 'The email is in lower case, trimmed and in Unicode form NFC, as `normalizeEmail` returns it.';
comment on column account.password_hash is 'The hash is argon2id in PHC string format.';
comment on column account.is_operator is 'An operator runs this installation and is not limited to merchants of which the account is a member.';

create table api_key (
  merchant_id uuid not null,
  key_hash bytea not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  last_used_at timestamp(3) with time zone,
  constraint api_key_pkey PRIMARY KEY (merchant_id),
  constraint api_key_hash_unique UNIQUE (key_hash),
  constraint api_key_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id)
);
comment on table api_key is 'The API key of a merchant, which has at most one; generating a key replaces the one before.';
comment on column api_key.key_hash is 'SHA-256 of the key. The key itself is not stored.';
comment on column api_key.last_used_at is 'Null if the key was never used. It is written in batches, and a crash may lose the latest times.';

create table code_pause (
  account_id uuid not null,
  failures integer not null,
  failed_at timestamp(3) with time zone not null default coffer_now(),
  constraint code_pause_pkey PRIMARY KEY (account_id),
  constraint code_pause_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint code_pause_failures_check CHECK ((failures > 0))
);
comment on table code_pause is 'Consecutive wrong codes of the second factor of an account. After each one the next attempt must wait longer; a right code deletes the row.';
comment on column code_pause.failures is 'The count restarts at 1 if the last wrong code is more than a day old.';

create table login_attempt (
  id uuid not null,
  source text not null,
  subject_hash bytea not null,
  account_id uuid,
  made_at timestamp(3) with time zone not null default coffer_now(),
  failed_at timestamp(3) with time zone,
  constraint login_attempt_pkey PRIMARY KEY (id),
  constraint login_attempt_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint login_attempt_subject_hash_check CHECK ((length(subject_hash) = 4))
);
comment on table login_attempt is 'An attempt at a secret, such as a password, that failed or is not decided yet. Attempts are rows and not counters, so that limits hold for any period and over all processes; a right attempt deletes its source''s failures on the same subject.';
comment on column login_attempt.source is 'Who attempts: a network such as 192.0.2.0/24. For codes of a second factor it is `codes of <account id>`, and the subject is the network instead.';
comment on column login_attempt.subject_hash is 'The first four bytes of the SHA-256 of the subject, such as the email whose password is attempted. They tell the attempts of a source apart, and are too few to find out an email, or a password that was typed into the wrong field.';
comment on column login_attempt.account_id is 'The account whose secret is attempted; null if there is no such account.';
comment on column login_attempt.failed_at is 'Null while the outcome is not known. An undecided attempt counts as a failure for 30 seconds.';
CREATE INDEX login_attempt_account ON public.login_attempt USING btree (account_id, made_at);
CREATE INDEX login_attempt_made ON public.login_attempt USING btree (made_at);
CREATE INDEX login_attempt_source ON public.login_attempt USING btree (source, made_at);

create table member (
  account_id uuid not null,
  merchant_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  constraint member_pkey PRIMARY KEY (account_id, merchant_id),
  constraint member_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint member_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'viewer'::text])))
);
comment on table member is 'The membership of an account in a merchant.';
comment on column member.role is 'What the account may do for the merchant: `owner`, `admin` or `viewer`.';
CREATE INDEX member_merchant ON public.member USING btree (merchant_id);

create table merchant (
  id uuid not null,
  name text not null,
  paid_when text not null default 'included'::text,
  tolerance_basis_points integer not null default 0,
  ip_whitelist text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default coffer_now(),
  deleted_at timestamp(3) with time zone,
  credits_wrong_network boolean not null default false,
  constraint merchant_pkey PRIMARY KEY (id),
  constraint merchant_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint merchant_paid_when_check CHECK ((paid_when = ANY (ARRAY['included'::text, 'confirmed'::text]))),
  constraint merchant_tolerance_basis_points_check CHECK (((tolerance_basis_points >= 0) AND (tolerance_basis_points <= 100)))
);
comment on table merchant is 'A shop or another owner of money, with the settings of its payments. A deleted merchant keeps its row, because the books and the addresses still refer to it.';
comment on column merchant.paid_when is 'Which payments count for new invoices: `included` those in a block, `confirmed` only confirmed ones.';
comment on column merchant.tolerance_basis_points is 'The share of an amount that may be missing from a full payment of a new invoice, in hundredths of a percent.';
comment on column merchant.ip_whitelist is 'The addresses and ranges from which the merchant''s API key may be used; empty if it may be used from anywhere.';
comment on column merchant.deleted_at is 'Null unless the merchant was deleted. An operator can restore it for some weeks.';
comment on column merchant.credits_wrong_network is 'Whether a payment on a network that its invoice does not offer is credited when it is confirmed. If not, it is kept as unattributed until the merchant or an operator decides.';

create table recovery_code (
  account_id uuid not null,
  code_hash bytea not null,
  used_at timestamp(3) with time zone,
  constraint recovery_code_pkey PRIMARY KEY (account_id, code_hash),
  constraint recovery_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES second_factor(account_id) ON DELETE CASCADE
);
comment on table recovery_code is 'A code with which an account logs in once without its second factor. Making new codes replaces all of them.';
comment on column recovery_code.code_hash is 'SHA-256 of the code, which is shown once and too random to be guessed.';
comment on column recovery_code.used_at is 'Null while the code can be used.';

create table second_factor (
  account_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  confirmed_at timestamp(3) with time zone,
  used_step bigint not null default 0,
  constraint second_factor_pkey PRIMARY KEY (account_id),
  constraint second_factor_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
comment on table second_factor is 'The second factor of an account: a secret for codes of an authenticator app (TOTP, RFC 6238).';
comment on column second_factor.sealed_secret is 'The secret, encrypted with AES-256-GCM under ENCRYPTION_KEY.';
comment on column second_factor.confirmed_at is 'From then on logins ask for a code; null while the secret was only shown.';
comment on column second_factor.used_step is 'The time step of the last accepted code. Neither it nor an earlier one is accepted again.';

create table session (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  name text,
  refresh_hash bytea,
  created_at timestamp(3) with time zone not null default coffer_now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  idle_expires_at timestamp(3) with time zone,
  cookie_hash bytea,
  seen_at timestamp(3) with time zone,
  client_address text,
  user_agent text,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_cookie_hash_unique UNIQUE (cookie_hash),
  constraint session_refresh_hash_unique UNIQUE (refresh_hash),
  constraint session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint session_check CHECK (((type = 'access_token'::text) = (name IS NOT NULL))),
  constraint session_check1 CHECK (((type = 'login'::text) OR (refresh_hash IS NULL))),
  constraint session_cookie_check CHECK (((cookie_hash IS NULL) OR ((type = 'login'::text) AND (idle_expires_at IS NOT NULL)))),
  constraint session_type_check CHECK ((type = ANY (ARRAY['login'::text, 'access_token'::text]))),
  constraint session_user_agent_check CHECK ((length(user_agent) <= 256))
);
comment on table session is 'A login or an API access token of an account. A row that is revoked or expired ends the token on every process at once; old rows are deleted.';
comment on column session.id is 'Tokens name the session by this id (`jti`).';
comment on column session.type is '`login` or `access_token`. A login can be refreshed or kept by a cookie; an access token cannot.';
comment on column session.name is 'The name of an access token; null for a login.';
comment on column session.refresh_hash is 'SHA-256 of the current refresh token; null if the session is not refreshed.';
comment on column session.idle_expires_at is 'When a login that is not used or refreshed ends; null if only expires_at counts.';
comment on column session.cookie_hash is 'SHA-256 of the cookie of a browser''s login; null for any other session.';
comment on column session.seen_at is 'When a browser''s login was last used, which is written only at intervals; null if it was not recorded.';
comment on column session.client_address is 'The address from which a browser''s login began, so that its owner recognises it; null for any other session, as is user_agent.';
CREATE INDEX session_account ON public.session USING btree (account_id);

create table webhook_endpoint (
  merchant_id uuid not null,
  url text not null,
  sealed_secret bytea not null,
  token text not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  disabled_at timestamp(3) with time zone,
  former_sealed_secret bytea,
  former_valid_until timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  failures integer not null default 0,
  disabled_reason text,
  rest_until timestamp(3) with time zone,
  constraint webhook_endpoint_pkey PRIMARY KEY (merchant_id),
  constraint webhook_endpoint_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint webhook_endpoint_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhook_endpoint_former_check CHECK (((former_sealed_secret IS NULL) = (former_valid_until IS NULL)))
);
comment on table webhook_endpoint is 'Where a merchant''s events are sent; a merchant has at most one endpoint.';
comment on column webhook_endpoint.sealed_secret is 'The secret that signs deliveries, encrypted with AES-256-GCM under ENCRYPTION_KEY.';
comment on column webhook_endpoint.token is 'Names this version of the endpoint. It changes when the endpoint is set again, and results of attempts on another version are ignored.';
comment on column webhook_endpoint.disabled_at is 'Null while the endpoint is enabled.';
comment on column webhook_endpoint.former_sealed_secret is 'The previous secret, with which deliveries are signed too until former_valid_until; null if there is none.';
comment on column webhook_endpoint.failing_since is 'When the present run of failures began; null if the endpoint is not failing.';
comment on column webhook_endpoint.failures is 'The number of failed attempts in the present run.';
comment on column webhook_endpoint.disabled_reason is '`gone`: the endpoint answered 410. `failing`: it only failed for too long. It means nothing unless disabled_at is set.';
comment on column webhook_endpoint.rest_until is 'Nothing is sent before this time, because the endpoint asked for a pause with Retry-After; null if it did not.';
CREATE INDEX webhook_endpoint_former ON public.webhook_endpoint USING btree (former_valid_until) WHERE (former_valid_until IS NOT NULL);
