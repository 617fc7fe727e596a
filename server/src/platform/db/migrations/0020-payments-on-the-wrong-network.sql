-- A merchant may choose that payments on a network which their invoice does not offer are credited to it. A process of
-- the version before credits such payments in any case, so it must not run beside this version.

alter table merchant add column credits_wrong_network boolean not null default false;
comment on column merchant.credits_wrong_network is
  'Whether a payment on a network that its invoice does not offer is credited when it is confirmed. If not, it is kept as unattributed until the merchant or an operator decides.';
