-- MACs over what operators say of money, under the keys of the books: whoever writes rows alone cannot say it for them.

alter table attribution add column mac text not null default '';
alter table payout_without_transfer add column outcome_mac text;
