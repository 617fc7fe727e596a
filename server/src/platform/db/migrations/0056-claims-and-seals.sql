-- A claim is paid once: the audit log, which nobody rewrites, has the withdrawals that ever took it.
create index audit_entry_claim on audit_entry ((details ->> 'invoiceID'))
  where action = 'withdrawal.requested' and details ->> 'invoiceID' is not null;

-- What waits for its seal stays on the list until it has one: a journal that was taken off before would take nothing from the
-- sums by which orders are approved.
create function unsealed_must_be_sealed() returns trigger language plpgsql as $$
begin
  if exists (select from removed where not exists (select from journal_seal where journal_seal.journal_id = removed.journal_id)) then
    raise exception 'a journal is taken off the list of journal_unsealed without a seal' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$$;

create trigger journal_unsealed_until_sealed after delete on journal_unsealed
  referencing old table as removed for each statement execute function unsealed_must_be_sealed();
create trigger journal_unsealed_append_only before update on journal_unsealed
  for each row execute function refuse_change();
create trigger journal_unsealed_no_truncate before truncate on journal_unsealed
  for each statement execute function refuse_change();
