-- A webhook that answers nothing but failures, which is disabled when that has lasted.

alter table webhook_endpoint
  -- When its run of failures began, until an attempt succeeds.
  add column failing_since timestamptz(3),
  add column last_failure_at timestamptz(3),
  add column failures integer not null default 0,
  -- Of what is disabled; else it says nothing.
  add column disabled_reason text check (disabled_reason in ('gone', 'failing'));

-- Until now nothing but a 410 disabled one.
update webhook_endpoint set disabled_reason = 'gone' where disabled_at is not null;
