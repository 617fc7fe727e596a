/** Applies each tampering of the table to the books of one story, and rolls it back. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { openTamperer, type Tamperer } from './tamper-in-turn.ts'
import { useTamperingStory } from './tampering-story.ts'
import { tamperings } from './tampering-table.ts'

const books = useTamperingStory()
let tamperer: Tamperer | undefined

beforeAll(() => {
  tamperer = openTamperer(books)
})

afterAll(() => tamperer?.close())

it('verify finds nothing wrong with untampered books, and can check everything', async () => {
  const { database, shop, reader, sender } = books.flow
  const { db } = database
  const chains = [{ reader, sender }]
  const { entries } = await verify({ db, methods: shop.methods, chains, attested: books.attested })
  expect(entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)).toEqual([])
})

it('sixty-one tamperings cost somebody money, and each is found or stopped by a named check', () => {
  const ofMoney = tamperings.filter(({ notMoney }) => notMoney === undefined)
  expect(ofMoney).toHaveLength(61)
  expect(
    ofMoney.filter(({ foundBy = [], stoppedBy }) => foundBy.length === 0 && stoppedBy === undefined),
  ).toEqual([])
  expect(tamperings.map(({ number }) => number)).toEqual(tamperings.map((_, index) => index + 1))
})

it.each(
  tamperings.flatMap(({ number, stoppedBy }) => (stoppedBy === undefined ? [] : [{ number, ...stoppedBy }])),
)('$number is refused when it is used, by $file', ({ file, title }) => {
  expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).toContain(title)
})

describe.each(tamperings)('$number: $what, by the $by', (tampering) => {
  const { foundBy = [] } = tampering

  it(`is found by ${foundBy.join(', ') || 'nothing that compares rows'}`, async () => {
    expect(await required(tamperer, 'a tamperer').foundAfter(tampering)).toEqual(foundBy)
  })
})
