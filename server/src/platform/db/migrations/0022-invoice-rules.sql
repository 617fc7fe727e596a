-- How payments count is agreed when an invoice is made: what its merchant sets later holds for later invoices.

alter table invoice
  add column paid_when text not null default 'included' check (paid_when in ('included', 'confirmed')),
  add column tolerance_basis_points integer not null default 0 check (tolerance_basis_points between 0 and 100);

-- Until now the merchant's own settings of the moment were used.
update invoice set paid_when = merchant.paid_when, tolerance_basis_points = merchant.tolerance_basis_points
from merchant
where merchant.id = invoice.merchant_id
  and (merchant.paid_when, merchant.tolerance_basis_points) is distinct from ('included', 0);
