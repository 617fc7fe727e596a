-- What was approved within a day without an operator's word is summed by these times: nobody hides an order from the sums by
-- moving them. The trigger costs nothing where neither is written.
create function keep_approval_times() returns trigger language plpgsql as $$
begin
  if new.approved_at is distinct from old.approved_at
    and (new.approved_at is null or new.approved_at < greatest(old.approved_at, now() - interval '1 minute')) then
    raise exception 'the approval of withdrawal % cannot be moved into the past', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.released_at is distinct from old.released_at and old.stage is distinct from 'queued' then
    raise exception 'withdrawal % is not queued any more: it cannot be released', old.id using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

create trigger withdrawal_keeps_approval_times before update of approved_at, released_at on withdrawal
  for each row execute function keep_approval_times();
