/** What somebody with access to the database may do to the operator's entries. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

/** Adds an entry as the service's role may. */
export async function insertForeignEntry(on: Queryable, text: string, signature: string): Promise<void> {
  await on.query(sql`insert into own_row_entry (text, signature) values (${text}, ${signature})`)
}

/** Tries to change the entries without more rights than the given role has. */
export async function tryToChangeEntries(on: Queryable): Promise<void> {
  await on.query(sql`update own_row_entry set signature = ''`)
}

/** Removes the last entries, as the owner of the table can after it has disabled the trigger. */
export async function removeLastEntries(owner: Queryable, count: number): Promise<void> {
  await owner.query(sql`alter table own_row_entry disable trigger own_row_entry_append_only`)
  await owner.query(sql`
    delete from own_row_entry where id in (select id from own_row_entry order by id desc limit ${count})`)
  await owner.query(sql`alter table own_row_entry enable trigger own_row_entry_append_only`)
}

/** Replaces the text of the last entry, as the owner of the table can after it has disabled the trigger. */
export async function replaceLastEntry(owner: Queryable, text: string): Promise<void> {
  await owner.query(sql`alter table own_row_entry disable trigger own_row_entry_append_only`)
  await owner.query(sql`
    update own_row_entry set text = ${text} where id = (select max(id) from own_row_entry)`)
  await owner.query(sql`alter table own_row_entry enable trigger own_row_entry_append_only`)
}

/** Puts the list of nodes of one network in the place of another's. */
export async function swapNodes(on: Queryable, from: string, to: string): Promise<void> {
  await on.query(sql`
    update own_network_nodes set sealed = (select sealed from own_network_nodes where network = ${from})
    where network = ${to}`)
}

export function readAuditActions(
  on: Queryable,
): Promise<readonly { readonly action: string; readonly subject: string }[]> {
  return on.query<{ action: string; subject: string }>(sql`
    select action, subject from audit_entry where action like 'network.%' or action like 'token.%' order by sequence`)
}

/** Opens an account of the books in an asset. */
export async function openAccountIn(on: Queryable, asset: string): Promise<void> {
  await on.query(sql`insert into ledger_account (name, asset) values ('custody', ${asset})`)
}
