-- Invoices carry a MAC over their amount from their creation on. Invoices from before this migration have none, so they
-- are reported and get no address. A process of the version before makes no MAC, and must not run beside this version.

alter table invoice add column terms_mac text;
comment on column invoice.terms_mac is
  'MAC under a key of the books over the invoice, the merchant, the type, amount and amount_usd. An invoice without a valid MAC gets no address.';
