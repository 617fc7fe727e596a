-- Requests sent under an Idempotency-Key: one that is sent again has its effect once and gets the first answer.

create table idempotency_key (
  -- Whose key it is: the merchant's, else the account's, else the resource's that an open route names.
  scope_id uuid not null,
  key text not null check (octet_length(key) between 1 and 255),
  route text not null,
  -- SHA-256 of all that the request asks for; another request under the same key is refused.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- The id of what the request creates, the same for every run.
  effect_id uuid not null,
  -- The run that has it, and until when; a run that was overtaken may not write.
  claim_id uuid not null,
  claimed_until timestamptz(3) not null,
  -- The answer for good: HTTP status, and headers and body under the encryption key.
  status smallint,
  sealed_answer bytea,
  created_at timestamptz(3) not null default now(),
  primary key (scope_id, key),
  check ((status is null) = (sealed_answer is null))
);
create index idempotency_key_age on idempotency_key (created_at);
