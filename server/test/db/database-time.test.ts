/**
 * All statements read the time from two functions of the database. Coffer detects if somebody replaces them.
 */
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { requireOwnTime } from '../../src/platform/db/database-time.ts'
import { useDatabase } from '../support/database.ts'
import { merchantRecords } from '../support/people/records.ts'

const database = useDatabase()

afterEach(() =>
  database.owner.query(sql`
    create or replace function coffer_now() returns timestamptz language sql stable parallel safe return now();
    create or replace function coffer_clock() returns timestamptz language sql volatile parallel safe
      return clock_timestamp()`),
)

describe('the time in statements', () => {
  it("is PostgreSQL's time in a migrated database", async () => {
    await requireOwnTime(database.db)
    await requireOwnTime(database.owner)
  })

  it.each([
    [
      'coffer_now()',
      sql`create or replace function coffer_now() returns timestamptz language sql stable
      parallel safe return now() + interval '1 hour'`,
    ],
    [
      'coffer_now()',
      sql`create or replace function coffer_now() returns timestamptz language sql stable
      as 'select now()'`,
    ],
    [
      'coffer_clock()',
      sql`create or replace function coffer_clock() returns timestamptz language sql volatile
      parallel safe return now()`,
    ],
    [
      'coffer_now()',
      sql`create or replace function coffer_now() returns timestamptz language sql immutable
      return now()`,
    ],
    [
      'coffer_clock()',
      sql`create or replace function coffer_clock() returns timestamptz language sql volatile
      set timezone = 'UTC' return clock_timestamp()`,
    ],
  ])('is refused if %s has another body or another definition', async (name, replacement) => {
    await database.owner.query(replacement)
    await expect(requireOwnTime(database.db)).rejects.toThrow(
      `the database's function ${name} does not return the time of PostgreSQL`,
    )
  })

  it('is refused if a function is missing, and the message contains the SQL that restores it', async () => {
    await database.owner.query(sql`alter function coffer_clock() rename to lost_clock`)
    const error: Error = await requireOwnTime(database.db).then(
      () => expect.unreachable(),
      (reason) => reason,
    )
    const [, statement = ''] = /run "(.*)", and find out/.exec(error.message) ?? []
    await database.owner.query({ text: statement, values: [], sql: statement } as never)
    await requireOwnTime(database.db)
    await database.owner.query(sql`
      drop function coffer_clock(); alter function lost_clock() rename to coffer_clock`)
  })

  it('is the result of a replaced function, also in defaults of columns', async () => {
    await database.owner.query(sql`
      create or replace function coffer_now() returns timestamptz language sql stable
        return timestamptz '2031-01-01 00:00:00Z'`)
    const id = newId()
    await database.db.query(sql`insert into merchant (id, name) values (${id}, 'Later')`)
    expect(await merchantRecords.one(database.db, { id }, 'createdAt')).toEqual({
      createdAt: new Date('2031-01-01T00:00:00Z'),
    })
  })

  it('cannot be replaced by the service role', async () => {
    await expect(
      database.db.query(
        sql`create or replace function coffer_now() returns timestamptz language sql return now()`,
      ),
    ).rejects.toThrow(/must be owner|permission denied/)
  })
})
