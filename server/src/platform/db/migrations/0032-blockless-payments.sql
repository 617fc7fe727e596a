-- What is in no block is looked up whether a mempool holds it or none does: what none did may be there again.

drop index transaction_waiting;
create index transaction_blockless on transaction (network) where block_height is null and state = 'pending';
