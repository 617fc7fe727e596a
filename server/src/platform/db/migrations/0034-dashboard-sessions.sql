-- Logins of browsers, known by a cookie instead of a token.

alter table session
  -- SHA-256 of the cookie.
  add column cookie_hash bytea constraint session_cookie_hash_unique unique,
  -- When it was last used, to within a minute; null where nobody keeps that.
  add column seen_at timestamptz(3),
  -- From where and with what it was begun, for its owner to recognise it.
  add column client_address text,
  add column user_agent text check (length(user_agent) <= 256),
  add constraint session_cookie_check check (cookie_hash is null or (type = 'login' and idle_expires_at is not null));
