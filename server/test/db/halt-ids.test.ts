/**
 * Tests the ids of halts. Processes set them; for processes of the previous version, which do not, the
 * database generates them.
 */
import sql from 'sql-template-tag'
import { afterEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { replaceChance } from '../../src/core/chance.ts'
import { insertHalt, insertOwnHalt, readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
let restore = () => {}

afterEach(() => restore())

async function idOf(detail: string): Promise<string> {
  const halt = (await readHalts(database.db)).find((one) => one.detail === detail)
  return required(halt, detail).id
}

it('a halt has the id that the process generated', async () => {
  restore = replaceChance((buffer) => void buffer.fill(0xab))
  await insertHalt(database.db, 'books', 'drawn')
  await inTransaction(database.db, (tx) => insertOwnHalt(tx, 'books', 'drawn too'))
  for (const detail of ['drawn', 'drawn too']) expect(await idOf(detail)).toMatch(/-7bab-abab-abababababab$/)
})

it('a halt of an older process, which sends no id, gets one from the time and its transaction', async () => {
  const halt = (detail: string, ordinal: number) =>
    database.db.query(sql`
      insert into outgoing_halt (cause, detail, ordinal) values ('history', ${detail}, ${ordinal})`)
  try {
    await database.owner.query(sql`
      create or replace function coffer_clock() returns timestamptz language sql volatile parallel safe
        return timestamptz '2031-01-01 00:00:00Z'`)
    await halt('older', 1)
    await halt('older, at the same time', 2)
  } finally {
    await database.owner.query(sql`
      create or replace function coffer_clock() returns timestamptz language sql volatile parallel safe
        return clock_timestamp()`)
  }
  expect(await idOf('older')).not.toBe(await idOf('older, at the same time'))
  const [made] = await database.db.query<{ id: string }>(sql`
    select encode(substr(sha256(convert_to(timestamptz '2031-01-01 00:00:00Z' || ' ' || xmin, 'UTF8')), 1, 16), 'hex')::uuid as id
    from outgoing_halt where detail = 'older'`)
  expect(await idOf('older')).toBe(made?.id)
})
