-- expand
-- What an outflow paid to others, one row for each payment. An operator says to whom each payment belongs, and it is
-- then booked. Outflows from before this migration have no rows.

create table outflow_payment (
  id uuid not null,
  network text not null,
  tx_hash text not null,
  contract text,
  recipient text,
  amount_minor numeric(78, 0) not null,
  booked_at timestamp(3) with time zone,
  bookings integer not null default 0,
  constraint outflow_payment_pkey primary key (id),
  constraint outflow_payment_outflow_fkey foreign key (network, tx_hash) references wallet_outflow (network, tx_hash) on delete cascade,
  constraint outflow_payment_amount_minor_check check (amount_minor > 0)
);
create index outflow_payment_outflow on outflow_payment (network, tx_hash);
comment on table outflow_payment is
  'A payment to others that an outflow made. Recovery of the network waits until an operator has booked it.';
comment on column outflow_payment.contract is 'The contract of the token; null for the network''s coin.';
comment on column outflow_payment.recipient is 'The address that was paid; null if the script of the output has no address.';
comment on column outflow_payment.amount_minor is 'In the asset''s smallest unit.';
comment on column outflow_payment.booked_at is
  'When an operator booked it; null before, and after a booking was undone.';
comment on column outflow_payment.bookings is
  'How often it was booked. Its last journal has the subject `outflow:<id>:<bookings>`; there is none if the asset is not accepted.';
