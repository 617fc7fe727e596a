-- Whose keys the signer holds, by its own word. Addresses of any other account are given to nobody: what is paid to them
-- could not be spent.
create table attested_xpub (
  family text primary key,
  -- As address_branch has it.
  xpub_fingerprint text not null,
  attested_at timestamptz(3) not null default now()
);
