-- Who may do what: accounts log in, merchants own money, members join the two.

create table account (
  id uuid primary key,
  -- Lower case; what people type is folded before it gets here.
  email text not null constraint account_email_unique unique,
  password_hash text not null,
  is_operator boolean not null default false,
  created_at timestamptz(3) not null default now()
);

-- One row per login or API access token; the JWT names it by jti. A row that is revoked or past its time ends the
-- token on every process at once.
create table session (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  type text not null check (type in ('login', 'access_token')),
  name text,
  -- SHA-256 of the current refresh token of a login.
  refresh_hash bytea constraint session_refresh_hash_unique unique,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  check ((type = 'access_token') = (name is not null)),
  check (type = 'login' or refresh_hash is null)
);
create index session_account on session (account_id);

create table merchant (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  paid_when text not null default 'included' check (paid_when in ('included', 'confirmed')),
  -- What may be missing from a payment that still counts as full, in hundredths of a percent; at most 1 %.
  tolerance_basis_points integer not null default 0 check (tolerance_basis_points between 0 and 100),
  ip_whitelist text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

create table member (
  account_id uuid not null references account on delete cascade,
  merchant_id uuid not null references merchant,
  role text not null check (role in ('owner', 'admin', 'viewer')),
  created_at timestamptz(3) not null default now(),
  primary key (account_id, merchant_id)
);
create index member_merchant on member (merchant_id);

-- At most one key per merchant; generating replaces it. Only the SHA-256 of the key is kept.
create table api_key (
  merchant_id uuid primary key references merchant,
  key_hash bytea not null constraint api_key_hash_unique unique,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);

create table webhook_endpoint (
  merchant_id uuid primary key references merchant,
  url text not null,
  -- AES-256-GCM under ENCRYPTION_KEY.
  sealed_secret bytea not null,
  -- Names this version of the configuration; each delivery carries it.
  token text not null,
  created_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3)
);

-- What operators and accounts did to money and credentials. Append-only.
create table audit_entry (
  id uuid primary key,
  happened_at timestamptz(3) not null default now(),
  account_id uuid,
  merchant_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'
);
create index audit_entry_merchant on audit_entry (merchant_id, happened_at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_entry_append_only before update or delete on audit_entry
  for each row execute function refuse_change();
create trigger audit_entry_no_truncate before truncate on audit_entry
  for each statement execute function refuse_change();
