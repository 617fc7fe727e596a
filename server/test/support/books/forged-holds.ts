/** Attacks on the journals of a withdrawal's hold. */
import sql from 'sql-template-tag'
import { newId } from '../../../src/core/ids.ts'
import type { Queryable } from '../../../src/platform/db/pool.ts'
import { journalRecords } from './records.ts'

/** Invalidates the MAC of a hold, as a superuser who disables the triggers that protect the books. */
export async function breakHold(owner: Queryable, id: string): Promise<void> {
  await owner.query(sql`alter table journal disable trigger user`)
  await journalRecords.change(owner, { subject: `withdrawal:${id}:requested` }, { mac: 'forged' })
  await owner.query(sql`alter table journal enable trigger user`)
}

/** Adds a journal that seems to end a hold. */
export async function forgeEnd(on: Queryable, id: string): Promise<void> {
  await on.query(sql`
    with forged as (
      insert into journal (id, kind, subject, mac)
      values (${newId()}, 'withdrawal.cancelled', ${`withdrawal:${id}:released`}, 'forged')
      returning id
    )
    insert into journal_line (journal_id, ordinal, account_id, debit, credit)
    select forged.id, line.ordinal, line.account_id, line.credit, line.debit
    from forged, journal hold join journal_line line on line.journal_id = hold.id
    where hold.subject = ${`withdrawal:${id}:requested`}`)
}
