-- What is searched, apart from the invoices: each change of a state writes a new version of its invoice into all indexes,
-- and the trigrams of a text are dozens of entries that a change of state does not touch.

create table invoice_text (
  invoice_id uuid primary key references invoice (id) on delete cascade,
  merchant_id uuid not null,
  search_text text not null
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

insert into invoice_text
select id, merchant_id, search_text from invoice where description is not null or reference is not null;

drop index if exists invoice_search;
do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index invoice_text_search on invoice_text using gin (search_text gin_trgm_ops)
      with (gin_pending_list_limit = 512);
  end if;
end
$$;

create function keep_invoice_text() returns trigger language plpgsql as $$
begin
  insert into invoice_text (invoice_id, merchant_id, search_text)
  values (new.id, new.merchant_id, new.search_text)
  on conflict (invoice_id) do update set search_text = excluded.search_text;
  return null;
end
$$;
create trigger invoice_text_added after insert on invoice for each row
  when (new.description is not null or new.reference is not null) execute function keep_invoice_text();
create trigger invoice_text_changed after update on invoice for each row
  when (old.search_text is distinct from new.search_text) execute function keep_invoice_text();
