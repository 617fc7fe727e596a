-- Old blocks that nothing refers to are forgotten. Older versions take a gap in the list for broken books, so that this does
-- not only expand.

-- The list has no gap from this height on; below it are the first block and those that something refers to. Null: no gap.
alter table chain_cursor add column kept_from bigint;
