import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { printSchema, readSchema } from '../../src/platform/db/print-schema.ts'
import { ownsTables } from '../layers.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const folder = new URL('../../src/platform/db/schema/', import.meta.url)
const districtOf = (capability: string) => capability.split('/', 1)[0] ?? ''
const districts = [...new Set(Object.keys(ownsTables).map(districtOf))]

describe('the committed schema', () => {
  it.each(districts)(
    'of %s equals the result of the migrations; vitest --update writes it',
    async (district) => {
      const { tables } = await readSchema(database.db)
      const own = Object.entries(ownsTables).flatMap(([owner, names]) =>
        districtOf(owner) === district ? names : [],
      )
      const printed = [...tables].flatMap(([table, text]) => (own.includes(table) ? [text] : []))
      expect(printed).toHaveLength(own.length)
      await expect(printed.join('\n')).toMatchFileSnapshot(fileURLToPath(new URL(`${district}.sql`, folder)))
    },
  )

  it('has the functions that the migrations create', async () => {
    const { functions } = await readSchema(database.db)
    await expect(functions.join('\n')).toMatchFileSnapshot(fileURLToPath(new URL('functions.sql', folder)))
  })

  it('has a file for each district, and no other', async () => {
    const files = await readdir(fileURLToPath(folder))
    expect(files.toSorted()).toEqual([...districts, 'functions'].map((name) => `${name}.sql`).toSorted())
  })

  it('has a comment for every table that says what a row is', async () => {
    const { tables } = await readSchema(database.db)
    const silent = [...tables].filter(([table, text]) => !text.includes(`comment on table ${table} is`))
    expect(silent.map(([table]) => table)).toEqual(['schema_migration'])
  })
})

describe('printSchema', () => {
  it('shows every kind of object that a migration can change', async () => {
    const lines = async () => new Set((await printSchema(database.owner)).split('\n'))
    const before = await lines()
    await database.owner.query(sql`create table zebra (id int primary key, "Odd" text not null default 'x',
      n numeric(5, 2) check (n > 0), twice int generated always as (id * 2) stored)`)
    await database.owner.query(sql`create index zebra_odd on zebra ("Odd") where n > 1`)
    await database.owner.query(sql`create function zebra_stripes() returns trigger language plpgsql
      as 'begin return new; end'`)
    await database.owner.query(sql`create constraint trigger zebra_watch after insert on zebra
      deferrable initially deferred for each row execute function zebra_stripes()`)
    const added = [...(await lines())].filter((line) => !before.has(line))
    expect(added).toMatchInlineSnapshot(`
      [
        "create table zebra (",
        "  id integer not null,",
        "  "Odd" text not null default 'x'::text,",
        "  n numeric(5,2),",
        "  twice integer generated always as ((id * 2)) stored,",
        "  constraint zebra_pkey PRIMARY KEY (id),",
        "  constraint zebra_n_check CHECK ((n > (0)::numeric))",
        "CREATE INDEX zebra_odd ON public.zebra USING btree ("Odd") WHERE (n > (1)::numeric);",
        "CREATE CONSTRAINT TRIGGER zebra_watch AFTER INSERT ON public.zebra DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION zebra_stripes();",
        "CREATE OR REPLACE FUNCTION public.zebra_stripes()",
        "AS $function$begin return new; end$function$;",
      ]
    `)
  })

  it('does not depend on the role that asks', async () => {
    expect(await printSchema(database.db)).toBe(await printSchema(database.owner))
  })
})
