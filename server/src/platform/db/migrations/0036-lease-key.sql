-- Only a change of a unique key waits for those who hold a key share lock of the row: a take-over or a release, which
-- raise the epoch, and not a renewal.
create unique index lease_epoch_unique on lease (name, epoch);
