-- What addresses are screened against. A list is read whole and takes the place of the one before it; at most one is in
-- force. The rows of those before stay, so that it can be told what was known when.
create table sanctions_list (
  id uuid primary key,
  -- The path or URL it was read from, without what may be a key.
  source text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  address_count integer not null check (address_count >= 0),
  loaded_at timestamptz(3) not null default now(),
  read_at timestamptz(3) not null default now(),
  -- Up to when it is known to be its publisher's newest: of a file, when it was last written.
  fresh_at timestamptz(3) not null,
  replaced_at timestamptz(3)
);
create unique index sanctions_list_in_force on sanctions_list ((true)) where replaced_at is null;

-- The addresses of the list in force, in the spelling in which they are compared.
create table sanctioned_address (
  spelling text primary key,
  codes text[] not null,
  parties text[] not null,
  -- Since when it is listed without a break, by our own readings.
  listed_at timestamptz(3) not null default now()
);

-- What the sanctions oracle of a network said last; asked anew after minutes.
create table oracle_answer (
  network text not null,
  address text not null,
  is_listed boolean not null,
  asked_at timestamptz(3) not null default now(),
  primary key (network, address)
);
create index oracle_answer_age on oracle_answer (asked_at);
