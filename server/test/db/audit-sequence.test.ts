/** Tests the numbers of audit entries, which only the database gives. */
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { useDatabase } from '../support/database.ts'

interface Entry {
  readonly subject: string
  readonly idAt: number
  readonly happenedAt: string
}

async function insert(on: Db, { subject, idAt, happenedAt }: Entry): Promise<void> {
  await on.query(sql`
    insert into audit_entry (id, action, subject, happened_at)
    values (${newId(idAt)}, 'test', ${subject}, ${happenedAt})`)
}

function numbered(on: Db): Promise<readonly { readonly sequence: number; readonly subject: string }[]> {
  return on.query(sql`select sequence, subject from audit_entry order by sequence`)
}

describe('an audit entry', () => {
  const database = useDatabase()

  it('has the next number, whatever its id and its time', async () => {
    await insert(database.db, { subject: 'one', idAt: 5_000, happenedAt: '2020-01-02T00:00:00Z' })
    await insert(database.db, { subject: 'two', idAt: 0, happenedAt: '2020-01-01T00:00:00Z' })
    expect(await numbered(database.db)).toEqual([
      { sequence: 1, subject: 'one' },
      { sequence: 2, subject: 'two' },
    ])
  })

  it('gets no number from the service, which cannot set the sequence either', async () => {
    const sequence = sql`pg_get_serial_sequence('audit_entry', 'sequence')`
    for (const refused of [
      sql`insert into audit_entry (id, action, subject, sequence) overriding system value
          values (${newId()}, 'test', 'chosen', 9000000000)`,
      sql`update audit_entry set sequence = default`,
      sql`select setval(${sequence}, 1)`,
      sql`select nextval(${sequence})`,
    ])
      await expect(database.db.query(refused), refused.sql).rejects.toThrow(/permission denied/)
  })
})

describe('the migration that numbers audit entries', () => {
  const database = useDatabase({ migrated: false })
  const run = (count = Number.POSITIVE_INFINITY) =>
    migrate({ ownerUrl: database.urls.owner, appRole: 'coffer_app', log: silentLog, count })

  it('takes earlier entries in the order of their times, and goes on above them', async () => {
    await run(15)
    await insert(database.db, { subject: 'one', idAt: 5_000, happenedAt: '2020-01-01T00:00:00Z' })
    await insert(database.db, { subject: 'three', idAt: 1_000, happenedAt: '2020-01-03T00:00:00Z' })
    await insert(database.db, { subject: 'two', idAt: 9_000, happenedAt: '2020-01-02T00:00:00Z' })
    await run()
    const [sequence] = await database.owner.query<{ last: number }>(
      sql`select last_value as last from pg_sequences where sequencename = 'audit_entry_sequence_seq'`,
    )
    expect(sequence?.last, 'as a backup reads it').toBe(3)
    await insert(database.db, { subject: 'four', idAt: 0, happenedAt: '2020-01-01T00:00:00Z' })
    expect((await numbered(database.db)).map(({ subject }) => subject)).toEqual([
      'one',
      'two',
      'three',
      'four',
    ])
    const change = database.owner.query(sql`update audit_entry set subject = 'other'`)
    await expect(change).rejects.toThrow(/append-only/)
  })
})
