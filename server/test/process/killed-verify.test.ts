/**
 * Tests `coffer verify`, killed during a statement: PostgreSQL does not continue to work for a dead process.
 */
import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { useAnvil } from '../support/anvil.ts'
import { spawnCoffer, useDataDirs } from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'

const dataDirs = useDataDirs()
const database = useDatabase()
const anvil = useAnvil()

it('leaves no backend five seconds after kill -9', { timeout: 60_000 }, async () => {
  const settings = {
    DATABASE_URL: database.urls.app,
    DATA_DIR: await dataDirs.fresh(),
    EVM_RPC_ETHEREUM: anvil.url,
  }
  await database.owner.query(sql`
    insert into merchant (id, name) values ('0197a1f1-1111-7111-8111-111111111111', 'A shop')`)
  // Row-level security runs this condition for every role except the owner. Each read of the row then takes
  // five minutes.
  await database.owner.query(sql`alter table merchant enable row level security`)
  await database.owner.query(sql`create policy slow on merchant using (pg_sleep(300)::text = '')`)
  const verify = spawnCoffer(['verify'], settings)
  const backends = (state: string) =>
    database.db.query(sql`
      select from pg_stat_activity
      where application_name = ${`coffer verify ${verify.pid}`} and (wait_event = ${state} or ${state} = 'any')`)
  await vi.waitUntil(async () => (await backends('PgSleep')).length > 0, { timeout: 30_000 })
  verify.signal('SIGKILL')
  expect(await verify.ended).toMatchObject({ signal: 'SIGKILL' })
  const killedAt = performance.now()
  await vi.waitUntil(async () => (await backends('any')).length === 0, { timeout: 20_000 })
  const tookMs = performance.now() - killedAt
  console.log(`kill -9 of verify: its backends were gone after ${Math.round(tookMs)} ms`)
  expect(tookMs).toBeLessThan(5_000)
})
