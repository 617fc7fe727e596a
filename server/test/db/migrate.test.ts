import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { migrate, pendingMigrations } from '../../src/platform/db/migrate.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ migrated: false })
let directory = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-migrations-'))
  await database.owner.query(sql`drop schema public cascade`)
  await database.owner.query(sql`create schema public`)
})
afterEach(() => rm(directory, { recursive: true }))

const write = (name: string, text: string) => writeFile(join(directory, name), text)
const run = (appRole = 'coffer_app') =>
  migrate({ ownerUrl: database.urls.owner, appRole, log: silentLog, directory })

describe('migrate', () => {
  it('applies each migration once if 20 processes start at the same moment', async () => {
    await write('0001-first.sql', 'create table journal (id int); insert into journal values (1);')
    await write(
      '0002-second.sql',
      'alter table journal add column body text; insert into journal values (2);',
    )
    const runs = await Promise.all(Array.from({ length: 20 }, () => run()))
    expect(runs.flatMap(({ applied }) => applied).sort()).toEqual(['0001-first.sql', '0002-second.sql'])
    expect(await database.db.query(sql`select id from journal order by id`)).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('rolls back a migration that fails, names it, and continues there next time', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await write('0002-second.sql', 'create table b (id int); select 1 / 0')
    await expect(run()).rejects.toThrow(/0002-second\.sql: division by zero/)
    expect(await database.owner.query(sql`select to_regclass('b') as b`)).toEqual([{ b: null }])
    await write('0002-second.sql', 'create table b (id int)')
    expect((await run()).applied).toEqual(['0002-second.sql'])
  })

  it('refuses a changed migration file, and changes nothing', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await run()
    await write('0001-first.sql', 'create table a (id bigint)')
    await write('0002-second.sql', 'create table b (id int)')
    await expect(run()).rejects.toThrow(/0001-first\.sql was changed after it was applied/)
    expect(await database.owner.query(sql`select to_regclass('b') as b`)).toEqual([{ b: null }])
  })

  it('refuses a database that was migrated by a newer Coffer', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await write('0002-second.sql', 'create table b (id int)')
    await run()
    await rm(join(directory, '0002-second.sql'))
    await expect(run()).rejects.toThrow(/newer than this Coffer.*0002-second/)
  })

  it('refuses a database from before the baseline, states the remedy, and changes nothing', async () => {
    await write('0001-accounts-and-merchants.sql', 'create table a (id int)')
    await write('0002-ledger.sql', 'create table b (id int)')
    await run()
    await rm(join(directory, '0001-accounts-and-merchants.sql'))
    await write('0001-platform.sql', 'create table c (id int)')
    const sentence = /before the first release: it has 0001-accounts-and-merchants\.sql.*Nothing was changed/
    await expect(run()).rejects.toThrow(sentence)
    await expect(pendingMigrations(database.db, directory)).rejects.toThrow(sentence)
    expect(await database.owner.query(sql`select to_regclass('c') as c`)).toEqual([{ c: null }])
  })

  it('lets an older Coffer use a database whose newer migrations only expand it', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await write('0002-second.sql', '-- expand\ncreate table b (id int)')
    await run()
    await rm(join(directory, '0002-second.sql'))
    expect(await pendingMigrations(database.db, directory)).toEqual([])
    expect((await run()).applied).toEqual([])
  })

  it('grants the app role its rights in the transaction of a migration that only expands', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await run()
    await write('0002-second.sql', '-- expand\ncreate table b (id int)')
    await write('0003-third.sql', 'select 1 / 0')
    await expect(run()).rejects.toThrow(/0003-third\.sql/)
    await database.db.query(sql`insert into b values (1)`)
  })

  it('keeps what it recorded about a database that an older Coffer migrated last', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await run()
    await database.owner.query(sql`alter table schema_migration drop column only_expands`)
    expect(await pendingMigrations(database.db, directory)).toEqual([])
    await write('0002-second.sql', '-- expand\ncreate table b (id int)')
    expect((await run()).applied).toEqual(['0002-second.sql'])
    expect(
      await database.db.query(sql`select name, only_expands from schema_migration order by name`),
    ).toEqual([
      { name: '0001-first.sql', only_expands: false },
      { name: '0002-second.sql', only_expands: true },
    ])
  })

  it('lets the app role read and write, but not change append-only tables', async () => {
    await write('0001-first.sql', 'create table journal (id int); create table "Odd name" (id serial, n int)')
    await run()
    await database.db.query(sql`insert into journal values (1)`)
    await database.db.query(sql`insert into "Odd name" (n) values (1)`)
    await database.db.query(sql`update "Odd name" set n = 2`)
    for (const refused of [
      sql`update journal set id = 2`,
      sql`delete from journal`,
      sql`truncate journal`,
      sql`update schema_migration set checksum = ''`,
      sql`insert into schema_migration (name, checksum) values ('0009-x.sql', '')`,
      sql`drop table "Odd name"`,
    ]) {
      await expect(database.db.query(refused), refused.sql).rejects.toThrow(/permission denied|must be owner/)
    }
  })

  it('revokes no right from an app role that is the owner', async () => {
    await write('0001-first.sql', 'create table journal (id int)')
    await run('coffer_owner')
    await database.owner.query(sql`insert into journal values (1)`)
    await database.owner.query(sql`delete from journal`)
  })

  it('reports that the app role does not exist', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await expect(run('nobody; drop table a')).rejects.toThrow(/no role nobody; drop table a: create it/)
  })

  it('waits for a table that is in use, without blocking later statements for long', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await run()
    await write('0002-second.sql', 'alter table a add column b int')
    const reader = await database.db.pool.connect()
    await reader.query('begin')
    await reader.query('select from a')
    const migrated = run()
    const waiting = sql`select from pg_locks where not granted and relation = 'a'::regclass`
    await expect.poll(async () => (await database.owner.query(waiting)).length).toBe(1)
    await expect.poll(async () => (await database.owner.query(waiting)).length, { timeout: 5_000 }).toBe(0)
    await reader.query('commit')
    reader.release()
    expect((await migrated).applied).toEqual(['0002-second.sql'])
  })

  it('refuses two migrations with the same number, and names without a number', async () => {
    await write('0001-first.sql', '')
    await write('0001-other.sql', '')
    await expect(run()).rejects.toThrow(/two migrations have the number 0001/)
    await rm(join(directory, '0001-other.sql'))
    await write('later.sql', '')
    await expect(run()).rejects.toThrow(/later\.sql is not named/)
  })
})

describe('pendingMigrations', () => {
  it('lists the missing migrations, for a new database and for an older one', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await write('0002-second.sql', 'create table b (id int)')
    expect(await pendingMigrations(database.owner, directory)).toEqual(['0001-first.sql', '0002-second.sql'])
    await run()
    await write('0003-third.sql', 'create table c (id int)')
    expect(await pendingMigrations(database.db, directory)).toEqual(['0003-third.sql'])
  })

  it('refuses a database that was migrated by a newer Coffer', async () => {
    await write('0001-first.sql', 'create table a (id int)')
    await write('0002-second.sql', 'create table b (id int)')
    await run()
    await rm(join(directory, '0002-second.sql'))
    await expect(pendingMigrations(database.db, directory)).rejects.toThrow(
      /newer than this Coffer: it has 0002-second\.sql.*Start the newer Coffer/,
    )
  })
})
