-- expand
-- Processes give a halt its id. The default remains for processes of the version before, which name no id. It
-- draws no chance: a time and a transaction occur once, also after the database went back in time.

alter table outgoing_halt alter column id set default
  encode(substr(sha256(convert_to(coffer_clock()::text || ' ' || pg_current_xact_id()::text, 'UTF8')), 1, 16), 'hex')::uuid;
comment on column outgoing_halt.id is
  'Given by the process that halts. The default serves processes that were written before they gave it.';
