-- expand
-- Claims take the deliveries of a merchant in the order of this index. Deliveries of one transaction are due at
-- the same moment, so the id is part of the order; without it in the index, a claim would sort all of them.

drop index delivery_backlog;
create index delivery_backlog on delivery (merchant_id, next_attempt_at, id) where state = 'pending';
