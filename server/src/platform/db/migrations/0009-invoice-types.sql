-- All four types of invoices, and what is decided about one by hand.

-- A deleted invoice stays as a tombstone that keeps its address watched; its reference may be used again.
alter table invoice drop constraint invoice_reference_unique;
create unique index invoice_reference_unique on invoice (merchant_id, reference)
  where reference is not null and deleted_at is null;

alter table invoice
  -- Where the checkout sends the payer back to.
  add column redirect_url text,
  -- Closed by the merchant: what is paid later is late.
  add column closed_at timestamptz(3),
  -- Accepted by the merchant as paid, by the transactions named.
  add column accepted_at timestamptz(3),
  add column accepted_ids uuid[] not null default '{}',
  -- SHA-256 of the token with which a withdraw invoice is claimed.
  add column claim_hash bytea,
  -- Since when its claim is being paid out; a payout that fails makes it null again.
  add column claimed_at timestamptz(3),
  add check (claim_hash is null or type = 'withdraw'),
  add check (claimed_at is null or claim_hash is not null),
  add check ((accepted_at is not null) = (cardinality(accepted_ids) > 0));

-- The payments of reusable invoices that their merchants were told of by invoice.paid, and not by invoice.reverted since.
create table full_payment (
  invoice_id uuid not null references invoice,
  transaction_id uuid not null references transaction,
  primary key (invoice_id, transaction_id)
);
