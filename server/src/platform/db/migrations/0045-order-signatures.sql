-- Orders are signed by the process that takes them, so that whoever writes the database can neither make one nor change one.

alter table withdrawal
  -- `<key id>.<base64url>` of Ed25519 over the order. Without one an order is never approved: rows of before, and what was
  -- restored from the signer's log, which is signed already.
  add column order_signature text
    constraint withdrawal_order_signature_check check (order_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$'),
  -- The same over an operator's word that it may go out whatever it is worth.
  add column release_signature text
    constraint withdrawal_release_signature_check check (release_signature ~ '^[0-9a-f]{8}\.[A-Za-z0-9_-]{86}$');
