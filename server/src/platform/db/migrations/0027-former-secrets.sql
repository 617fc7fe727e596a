-- When a merchant sets another webhook secret, the one before goes on signing beside it for a while.

alter table webhook_endpoint
  -- Sealed like the current one.
  add column former_sealed_secret bytea,
  add column former_valid_until timestamptz(3),
  add constraint webhook_endpoint_former_check
    check ((former_sealed_secret is null) = (former_valid_until is null));
create index webhook_endpoint_former on webhook_endpoint (former_valid_until) where former_valid_until is not null;
