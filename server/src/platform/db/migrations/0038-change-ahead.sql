-- Where change will go is watched before it is given: a database restored from a backup reads the blocks since then, and with
-- them the change of payouts that it learns of from the signer's log only later.
alter table hot_place add column is_given boolean not null default true;
