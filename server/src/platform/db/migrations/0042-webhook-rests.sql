-- A receiver that asks to be left alone (Retry-After) is: the whole endpoint, not only the delivery it said so to.

alter table webhook_endpoint
  -- Until when; nothing is sent before.
  add column rest_until timestamptz(3);
