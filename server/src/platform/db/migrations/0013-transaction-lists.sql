-- The other orders of the list of transactions; those that are not confirmed are few and sorted as they are read.
create index transaction_by_amount on transaction (merchant_id, amount, id);
create index transaction_by_confirmation on transaction (merchant_id, confirmed_at, id) where confirmed_at is not null;
