import sql, { type Sql } from 'sql-template-tag'
import { afterEach, expect, it } from 'vitest'
import { replaceChance } from '../../src/core/chance.ts'
import { inRandomOrder } from '../../src/oversight/verify/random-order.ts'
import { useDatabase } from '../support/database.ts'
import { diceOf } from '../support/dice.ts'

const database = useDatabase()
const rowsInAll = 40
const rowsDrawn = 20
let restore = () => {}

afterEach(() => {
  restore()
  restore = () => {}
})

/** Replaces the process's source of randomness by bytes that the seed repeats, until the test ends. */
function seedChance(seed: number): void {
  restore()
  const dice = diceOf(seed)
  restore = replaceChance((buffer) => {
    for (const index of buffer.keys()) buffer[index] = dice.between(0, 255)
  })
}

async function draw(key: Sql): Promise<readonly number[]> {
  const rows = await database.db.query<{ n: number }>(sql`
    select n from generate_series(1, ${rowsInAll}::integer) n
    order by ${inRandomOrder(key)} limit ${rowsDrawn}`)
  return rows.map(({ n }) => n)
}

it.each([
  ['numbers', sql`n`],
  ['texts', sql`'key ' || n`],
  ['ids', sql`md5(n::text)::uuid`],
])(
  'draws the same rows by %s from the same random bytes, and others from the next bytes',
  async (_what, key) => {
    seedChance(1)
    const first = await draw(key)
    expect(await draw(key)).not.toEqual(first)
    seedChance(1)
    expect(await draw(key)).toEqual(first)
  },
)

it('draws each row equally often', async () => {
  seedChance(2)
  const drawn = new Map<number, number>()
  const draws = 200
  for (let count = 0; count < draws; count++)
    for (const n of await draw(sql`n`)) drawn.set(n, (drawn.get(n) ?? 0) + 1)
  expect(drawn.size).toBe(rowsInAll)
  // A row is drawn 100 times on average, and the standard deviation is 7.
  for (const times of drawn.values())
    expect(Math.abs(times - (draws * rowsDrawn) / rowsInAll)).toBeLessThan(35)
})
