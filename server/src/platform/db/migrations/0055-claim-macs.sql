-- Over whose money a claim pays out, how much, and to the holder of which token: whoever writes rows alone makes no claim.
alter table invoice add column claim_mac text;
