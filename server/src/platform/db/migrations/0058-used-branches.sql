-- expand
-- Addresses that no invoice was given end with the process that derived them.

-- When the process that opened the branch was last there; it says so every minute.
alter table address_branch add column used_at timestamptz(3) not null default now();

-- What refers to an address that goes is looked for in each of these.
create index if not exists transaction_address on transaction (address_id) where address_id is not null;
