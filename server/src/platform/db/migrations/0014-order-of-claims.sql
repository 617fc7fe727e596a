-- expand
-- Claims take the deliveries of a merchant in the order of this index. Deliveries of one transaction are due at
-- the same moment, so the id is part of the order; without it in the index, a claim would sort all of them.
-- The old index is dropped last: until then claims are read with it, and only writes wait for the build.

create index delivery_backlog_in_order on delivery (merchant_id, next_attempt_at, id) where state = 'pending';
drop index delivery_backlog;
alter index delivery_backlog_in_order rename to delivery_backlog;
