create table audit_entry (
  id uuid not null,
  happened_at timestamp(3) with time zone not null default coffer_now(),
  account_id uuid,
  merchant_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'::jsonb,
  sequence bigint not null generated always as identity,
  constraint audit_entry_pkey PRIMARY KEY (id),
  constraint audit_entry_sequence_unique UNIQUE (sequence)
);
comment on table audit_entry is 'An entry of the audit log: what an account, an operator or Coffer itself did to money, credentials or settings. Rows are append-only and are written in the transaction of the act itself.';
comment on column audit_entry.account_id is 'Null if the act was not made by a logged-in account. It is not a foreign key, so entries outlive accounts.';
comment on column audit_entry.merchant_id is 'Null if the act concerns no merchant.';
comment on column audit_entry.action is 'The act as `<thing>.<what happened>`, such as `withdrawal.requested`.';
comment on column audit_entry.subject is 'The id or name of what the act changed.';
comment on column audit_entry.details is 'A JSON object whose fields depend on the action. The `invoiceID` of `withdrawal.requested` names the claim that the withdrawal pays.';
comment on column audit_entry.sequence is 'Given by the database when the entry is inserted. The act has locked its subject by then, so the entries of one subject are in the order of the acts.';
CREATE INDEX audit_entry_claim ON public.audit_entry USING btree (((details ->> 'invoiceID'::text))) WHERE ((action = 'withdrawal.requested'::text) AND ((details ->> 'invoiceID'::text) IS NOT NULL));
CREATE INDEX audit_entry_merchant ON public.audit_entry USING btree (merchant_id, happened_at);
CREATE INDEX audit_entry_restored ON public.audit_entry USING btree (merchant_id, happened_at) WHERE (action = 'merchant.restored'::text);
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table database_identity (
  only_row boolean not null default true,
  id uuid not null,
  constraint database_identity_pkey PRIMARY KEY (only_row),
  constraint database_identity_only_row_check CHECK (only_row)
);
comment on table database_identity is 'The identity of this database, under which branches of addresses are opened and the signer countersigns history. There is exactly one row.';
comment on column database_identity.id is 'The id changes when a backup is restored, and when a lift of a halt that was signed on the signer''s host names another id. Branches of a former id assign no more addresses.';

create table delivery (
  id uuid not null,
  event_id uuid not null,
  merchant_id uuid not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default coffer_now(),
  claimed_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint delivery_pkey PRIMARY KEY (id),
  constraint delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES event(id),
  constraint delivery_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint delivery_check CHECK (((state = 'pending'::text) = (ended_at IS NULL))),
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'cancelled'::text])))
);
comment on table delivery is 'The sending of one event to a merchant''s webhook endpoint. An event has one delivery from the start and another one for each replay; deliveries are deleted about three months after they ended.';
comment on column delivery.merchant_id is 'Repeats the merchant of the event, so that one index finds the backlog of a merchant.';
comment on column delivery.state is '`pending`: attempts go on. `delivered`: the endpoint answered with 2xx. `exhausted`: the last retry failed. `cancelled`: the merchant has no enabled endpoint any more.';
comment on column delivery.attempts is 'The number of attempts that were recorded.';
comment on column delivery.next_attempt_at is 'When the next attempt is due.';
comment on column delivery.claimed_until is 'A dispatcher has claimed the delivery for an attempt until then; after that another one may claim it. The value also identifies the claim; null means that nobody has claimed it.';
comment on column delivery.ended_at is 'Null while the delivery is pending.';
CREATE INDEX delivery_backlog ON public.delivery USING btree (merchant_id, next_attempt_at, id) WHERE (state = 'pending'::text);
CREATE INDEX delivery_claimed ON public.delivery USING btree (merchant_id) WHERE ((state = 'pending'::text) AND (claimed_until IS NOT NULL));
CREATE INDEX delivery_event ON public.delivery USING btree (event_id);
CREATE INDEX delivery_merchant ON public.delivery USING btree (merchant_id, created_at);

create table event (
  id uuid not null,
  merchant_id uuid not null,
  sequence bigint not null,
  type text not null,
  subject text not null,
  body text not null,
  created_at timestamp(3) with time zone not null default coffer_now(),
  constraint event_pkey PRIMARY KEY (id),
  constraint event_sequence_unique UNIQUE (merchant_id, sequence),
  constraint event_subject_unique UNIQUE (subject),
  constraint event_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint event_sequence_check CHECK ((sequence > 0))
);
comment on table event is 'Something that a merchant is told. Rows are written in the transaction of the state they report, and are both sent by webhook and read through the feed.';
comment on column event.sequence is 'The number of the event among the merchant''s events, from 1. Numbers have no gaps except those in event_gap.';
comment on column event.subject is '`<type>:<what it is about>`. It is unique for ever, so a repeated write cannot report the same twice.';
comment on column event.body is 'The exact JSON text that is signed and sent: `{id, type, merchantID, timestamp, sequence, data}`. It never changes, not even after an upgrade.';

create table event_counter (
  merchant_id uuid not null,
  last_sequence bigint not null default 0,
  timeline bigint not null default current_wal_timeline(),
  incarnation bigint not null default 1,
  constraint event_counter_pkey PRIMARY KEY (merchant_id),
  constraint event_counter_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id)
);
comment on table event_counter is 'The last event number that was given to a merchant. Its row lock puts the events of a merchant in order.';
comment on column event_counter.timeline is 'The timeline of the write-ahead log when the last number was given. If the present one differs, a trigger raises the counter by at least 1,000,000 and records the gap.';
comment on column event_counter.incarnation is 'The incarnation in which the last number was given. Each later incarnation raises the counter by 2,000,000, less what a change of the timeline has raised it already.';
CREATE TRIGGER event_counter_begins_behind_gap AFTER INSERT ON public.event_counter FOR EACH ROW WHEN ((new.last_sequence > 1000000)) EXECUTE FUNCTION event_counter_begins();
CREATE TRIGGER event_counter_leaps BEFORE UPDATE ON public.event_counter FOR EACH ROW WHEN (((new.timeline <> old.timeline) OR (new.incarnation <> old.incarnation))) EXECUTE FUNCTION event_counter_leap();

create table event_gap (
  merchant_id uuid not null,
  after_sequence bigint not null,
  resumes_after bigint not null,
  made_at timestamp(3) with time zone not null default coffer_now(),
  constraint event_gap_pkey PRIMARY KEY (merchant_id, after_sequence),
  constraint event_gap_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(id),
  constraint event_gap_check CHECK (((resumes_after > after_sequence) AND (((resumes_after - after_sequence) % (1000000)::bigint) = 0)))
);
comment on table event_gap is 'A gap in the event numbers of a merchant, left because history may have been lost: events may have been sent with the numbers in it. Rows are append-only.';
comment on column event_gap.after_sequence is 'The last number before the gap; 0 if the merchant''s first events may be lost.';
comment on column event_gap.resumes_after is 'The number after which the next event follows.';
CREATE TRIGGER event_gap_append_only BEFORE DELETE OR UPDATE ON public.event_gap FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_gap_no_truncate BEFORE TRUNCATE ON public.event_gap FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table idempotency_key (
  scope_id uuid not null,
  key text not null,
  route text not null,
  fingerprint bytea not null,
  effect_id uuid not null,
  claim_id uuid not null,
  claimed_until timestamp(3) with time zone not null,
  status smallint,
  sealed_answer bytea,
  created_at timestamp(3) with time zone not null default coffer_now(),
  constraint idempotency_key_pkey PRIMARY KEY (scope_id, key),
  constraint idempotency_key_check CHECK (((status IS NULL) = (sealed_answer IS NULL))),
  constraint idempotency_key_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint idempotency_key_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255)))
);
comment on table idempotency_key is 'A request that was sent with an Idempotency-Key. Repeating it has its effect once and gets the first answer; rows are deleted after a retention of some days.';
comment on column idempotency_key.scope_id is 'The owner of the key: the merchant, otherwise the account, otherwise a hash of the id of the resource that an open route names.';
comment on column idempotency_key.key is 'The header''s value, as the caller chose it.';
comment on column idempotency_key.route is 'The method and the path pattern of the route.';
comment on column idempotency_key.fingerprint is 'SHA-256 of everything that the request asks for. Another request under the same key is rejected.';
comment on column idempotency_key.effect_id is 'The id of what the request creates, the same for every run.';
comment on column idempotency_key.claim_id is 'The run that currently has the request. A run whose claim was taken over cannot store its answer.';
comment on column idempotency_key.claimed_until is 'When the claim expires, after which another run may take over.';
comment on column idempotency_key.status is 'The HTTP status of the final answer; null until a run has ended with an answer to keep.';
comment on column idempotency_key.sealed_answer is 'The headers and the body of that answer as JSON, encrypted under ENCRYPTION_KEY, because they may contain what is stored nowhere else in the clear.';
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);

create table incarnation (
  number bigint not null,
  cause text not null,
  system_identifier text not null,
  timeline bigint not null,
  began_at timestamp(3) with time zone not null default coffer_now(),
  last_seen_at timestamp(3) with time zone,
  constraint incarnation_pkey PRIMARY KEY (number),
  constraint incarnation_cause_check CHECK ((cause = ANY (ARRAY['first'::text, 'restore'::text, 'planned'::text, 'promotion'::text, 'loss'::text]))),
  constraint incarnation_number_check CHECK ((number > 0))
);
comment on table incarnation is 'A stretch of the database''s history without a break, as the processes detected it. Rows are append-only; database_identity, which the operator or a restore changes, is a different identity.';
comment on column incarnation.number is 'Incarnations are numbered from 1, and the highest number is the current one.';
comment on column incarnation.cause is '`first`: it is the first one. `restore`: `coffer restore` was run. `planned`: another server took over while no process worked, so nothing is missing. `promotion`: another server took over, and something may be missing. `loss`: something committed is gone.';
comment on column incarnation.system_identifier is 'The identifier of the database cluster from initdb. A standby has the same one as its primary.';
comment on column incarnation.timeline is 'The timeline of the write-ahead log, which rises with each promotion.';
comment on column incarnation.last_seen_at is 'The newest time up to which history is known to have been committed before this incarnation; null if it is not known.';
CREATE TRIGGER incarnation_append_only BEFORE DELETE OR UPDATE ON public.incarnation FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER incarnation_no_truncate BEFORE TRUNCATE ON public.incarnation FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table key_fingerprint (
  only_row boolean not null default true,
  encryption_key_id text not null,
  next_encryption_key_id text,
  constraint key_fingerprint_pkey PRIMARY KEY (only_row),
  constraint key_fingerprint_only_row_check CHECK (only_row)
);
comment on table key_fingerprint is 'Which ENCRYPTION_KEY this database is encrypted with. There is at most one row, written at the first start, so that a process with another key is rejected.';
comment on column key_fingerprint.encryption_key_id is 'The id of the key, which does not reveal it.';
comment on column key_fingerprint.next_encryption_key_id is 'The id of the key to which the database is being changed, under which some values may be encrypted already; null if no change is in progress.';

create table lease (
  name text not null,
  holder_id uuid not null,
  epoch bigint not null,
  expires_at timestamp with time zone not null,
  constraint lease_pkey PRIMARY KEY (name),
  constraint lease_epoch_check CHECK ((epoch > 0))
);
comment on table lease is 'The right to be the only process that does a job, for a time measured by the database''s clock. Every transaction that writes under a lease checks the epoch, so a holder that lost the lease cannot commit.';
comment on column lease.holder_id is 'A random id that the process chose; it names no row.';
comment on column lease.epoch is 'Rises with each takeover and each release. It is part of a unique index, so that a takeover waits for the open transactions of the holder and a renewal does not.';
comment on column lease.expires_at is '-infinity after a release.';
CREATE UNIQUE INDEX lease_epoch_unique ON public.lease USING btree (name, epoch);

create table lost_beat (
  incarnation bigint not null,
  process_id uuid not null,
  role text not null,
  beat bigint not null,
  surviving_beat bigint,
  last_seen_at timestamp(3) with time zone not null,
  noticed_at timestamp(3) with time zone not null default coffer_now(),
  constraint lost_beat_pkey PRIMARY KEY (incarnation, process_id),
  constraint lost_beat_incarnation_fkey FOREIGN KEY (incarnation) REFERENCES incarnation(number)
);
comment on table lost_beat is 'A heartbeat that a process saw committed and that is gone, which proves a loss of history. Rows are append-only.';
comment on column lost_beat.incarnation is 'The incarnation that began with the loss, or that the process joined when it noticed the loss.';
comment on column lost_beat.beat is 'The number that the process saw committed.';
comment on column lost_beat.surviving_beat is 'The number that is left in process_heartbeat; null if the row is gone.';
comment on column lost_beat.last_seen_at is 'When the lost heartbeat was committed.';
CREATE TRIGGER lost_beat_append_only BEFORE DELETE OR UPDATE ON public.lost_beat FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lost_beat_no_truncate BEFORE TRUNCATE ON public.lost_beat FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table process_heartbeat (
  process_id uuid not null,
  role text not null,
  incarnation bigint not null,
  beat bigint not null,
  beat_at timestamp(3) with time zone not null default coffer_now(),
  ended_at timestamp(3) with time zone,
  constraint process_heartbeat_pkey PRIMARY KEY (process_id),
  constraint process_heartbeat_beat_check CHECK ((beat > 0))
);
comment on table process_heartbeat is 'The heartbeat of a running process: it raises its number every two seconds and remembers the last one that was committed. A lower number than a process remembers shows that history was lost; rows are deleted a week after their last beat.';
comment on column process_heartbeat.role is 'The role of the process, such as `payouts`.';
comment on column process_heartbeat.incarnation is 'The incarnation in which the process joined.';
comment on column process_heartbeat.ended_at is 'Set by the last beat of a process that stopped cleanly, after which it writes nothing; null while it runs and after a crash.';

create table schema_migration (
  name text not null,
  checksum text not null,
  applied_at timestamp(3) with time zone not null default now(),
  only_expands boolean not null default false,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table tampering (
  id bigint not null generated always as identity,
  subject text not null,
  detail text not null,
  found_at timestamp(3) with time zone not null default coffer_now(),
  constraint tampering_pkey PRIMARY KEY (id),
  constraint tampering_subject_unique UNIQUE (subject)
);
comment on table tampering is 'A row of the database that no process of ours can have written: it does not match its MAC or signature. Findings are kept for ever, and outgoing transactions halt because of them.';
comment on column tampering.subject is 'Identifies what was tampered with. A subject is recorded once.';
comment on column tampering.detail is 'A description for the operator.';

create table tampering_halt (
  tampering_id bigint not null,
  constraint tampering_halt_pkey PRIMARY KEY (tampering_id),
  constraint tampering_halt_tampering_id_fkey FOREIGN KEY (tampering_id) REFERENCES tampering(id)
);
comment on table tampering_halt is 'A finding that has already halted outgoing transactions. Once an operator has lifted that halt, the finding does not halt them again.';
