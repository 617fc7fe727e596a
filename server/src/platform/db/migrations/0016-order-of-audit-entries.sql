-- expand
-- Ids of audit entries begin with the time of a process, so they are in no order if the clocks of processes differ.
-- The database numbers the entries instead. Entries from before this migration are numbered in the order in which
-- their transactions began.

alter table audit_entry add column sequence bigint;
alter table audit_entry disable trigger audit_entry_append_only;
update audit_entry set sequence = earlier.sequence
from (select id, row_number() over (order by happened_at, id) as sequence from audit_entry) earlier
where earlier.id = audit_entry.id;
alter table audit_entry enable trigger audit_entry_append_only;

alter table audit_entry alter column sequence set not null;
alter table audit_entry alter column sequence add generated always as identity;
-- A backup reads the last value of the sequence, which is null until the sequence is used or set as used.
select setval(pg_get_serial_sequence('audit_entry', 'sequence'), count(*)) from audit_entry having count(*) > 0;
alter table audit_entry add constraint audit_entry_sequence_unique unique (sequence);
comment on column audit_entry.sequence is
  'Given by the database when the entry is inserted. The act has locked its subject by then, so the entries of one subject are in the order of the acts.';
