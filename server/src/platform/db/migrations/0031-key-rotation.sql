-- ENCRYPTION_KEY can be changed: what it stands behind is brought under another one while the service goes on.

-- The key to which this database is being changed; null where none is under way.
alter table key_fingerprint add column next_encryption_key_id text;

-- The token of a claim that was made under a key that is gone, so that its URL can be shown again.
alter table invoice
  add column sealed_claim_token bytea,
  add constraint invoice_sealed_claim_check check (sealed_claim_token is null or claim_hash is not null);
