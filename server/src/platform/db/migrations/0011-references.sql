-- Foreign keys to tables of districts above. A row below may name one above, such as the merchant of an event.

alter table delivery add constraint delivery_merchant_id_fkey foreign key (merchant_id) references merchant(id);
alter table deposit add constraint deposit_sweep_id_fkey foreign key (sweep_id) references sweep(id);
alter table event add constraint event_merchant_id_fkey foreign key (merchant_id) references merchant(id);
alter table event_counter add constraint event_counter_merchant_id_fkey foreign key (merchant_id) references merchant(id);
alter table event_gap add constraint event_gap_merchant_id_fkey foreign key (merchant_id) references merchant(id);
alter table sealed_balance add constraint sealed_balance_owner_id_fkey foreign key (owner_id) references merchant(id);
