-- Collections that are over and not brought in yet: looked at every second, and few.
create index invoice_over_collecting on invoice (id)
  where type = 'collect' and collect_state = 'collecting' and state <> 'pending';
