/**
 * Tests that old blocks are deleted. The remaining ones still show the fork of a reorganisation and prove the
 * books.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { forgetBlocks } from '../../src/watcher/forget-blocks.ts'
import { ageBlocks } from '../support/aged-rows.ts'
import { blockRecords } from '../support/chains/records.ts'
import { useFakeFlow } from '../support/fake-flow.ts'

const flow = useFakeFlow()
const { chain, database } = flow
const never = new AbortController().signal
const keep = { blocks: 8, days: 180, blocksMax: 1_000 }
let paidAt = 0

const forget = () => forgetBlocks({ db: database.db }, keep).runBatch(never)

async function heights(): Promise<readonly number[]> {
  const rows = await blockRecords.all(database.db, {}, 'height')
  return rows.map(({ height }) => height)
}

beforeAll(async () => {
  const invoice = await flow.openInvoice()
  await flow.mineAndFollow([], 3)
  await flow.mineAndFollow([flow.payment(invoice)], 20)
  paidAt = chain.head.height - 20
})
afterEach(() => {
  chain.faults.lagBlocks = 0
})

describe('old blocks', () => {
  it('are kept for half a year', async () => {
    await ageBlocks(database.owner, 179)
    expect(await forget()).toBe(0)
  })

  it('are deleted earlier if a fast chain has too many of them', async () => {
    const before = await heights()
    const few = { ...keep, blocksMax: before.length - 3 }
    expect(await forgetBlocks({ db: database.db }, few).runBatch(never)).toBe(2)
    expect(await heights()).toEqual([before[0], ...before.slice(2)])
    expect(await flow.findViolations()).toEqual([])
  })

  it('are deleted then, except the first, the newest and those that something refers to; the books still verify', async () => {
    await ageBlocks(database.owner, 2)
    const before = await heights()
    expect(await forget()).toBeGreaterThan(0)
    expect(await forget()).toBe(0)
    const newest = before.slice(-keep.blocks - 1)
    expect(await heights()).toEqual([before[0], paidAt, ...newest])
    expect(await flow.findViolations()).toEqual([])
  })

  it('are reported by verify if one is missing', async () => {
    const missing = [paidAt, chain.head.height - 3, (await heights())[0]]
    for (const height of missing) {
      const block = await blockRecords.one(database.owner, { height })
      await blockRecords.remove(database.owner, { height })
      const violations = await flow.findViolations()
      expect(violations.join(), `block ${height}`).toMatch(/holds \d+ blocks from|which is not canonical/)
      await blockRecords.add(database.owner, block)
    }
    expect(await flow.findViolations()).toEqual([])
  })

  it('are not mistaken for the last common block with a node that is far behind', async () => {
    const before = await heights()
    chain.faults.lagBlocks = chain.head.height - paidAt - 1
    await expect(flow.follow()).rejects.toThrow(
      /older than the blocks that are kept; wait until it is synchronised/,
    )
    chain.faults.lagBlocks = 3
    await flow.follow()
    expect(await heights()).toEqual(before)
  })

  it('are not needed to reverse a dropped block, and the list continues without a gap', async () => {
    chain.rollback(keep.blocks - 2)
    await flow.mineAndFollow([], keep.blocks)
    expect(await flow.findViolations()).toEqual([])
    await ageBlocks(database.owner, 200)
    await forget()
    expect(await flow.findViolations()).toEqual([])
  })
})
