-- Which ENCRYPTION_KEY this data is sealed with. Noted once by the first start, so that another key is refused before it
-- seals or vouches for anything.
create table key_fingerprint (
  only_row boolean primary key default true check (only_row),
  encryption_key_id text not null
);
