/**
 * Tests a block that contains only dust for one of our addresses, with as many outputs as a block can hold.
 */
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readCursor } from '../../src/chains/blocks/store.ts'
import { systemClock } from '../../src/core/clock.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { watchChain } from '../../src/watcher/watch-chain.ts'
import { coinMethodId, useFakeFlow } from '../support/fake-flow.ts'
import { balanceOf, journalsOf } from '../support/shop-readers.ts'

/** The number of outputs in a full block: 4,000,000 weight units, of which an output takes 124. */
const outputsOfFullBlock = 32_000
/** The longest allowed statement. It is half the statement timeout, to leave room for slower hosts. */
const statementMsMax = limits.statementTimeoutMs / 2

const flow = useFakeFlow()
const { shop, chain, reader } = flow
const stopping = new AbortController()
let watching: Promise<void>
let longestMs = 0

beforeAll(() => {
  const parts = { db: shop.db, methods: shop.methods, feeDefaults: shop.feeDefaults, log: silentLog }
  const { signal } = stopping
  watching = watchChain({
    ...parts,
    chain: reader,
    clock: systemClock,
    mayUndoFinal: true,
    pollMs: 100,
    rowSerialOn: () => 0,
    signal,
  })
  timeStatements()
})
afterAll(async () => {
  stopping.abort()
  await watching
  vi.restoreAllMocks()
})

/** Measures how long this process waits for each answer of the database. */
function timeStatements(): void {
  const { query } = pg.Client.prototype
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...words: unknown[]
  ) {
    const since = performance.now()
    const answer = await Reflect.apply(query, this, words)
    longestMs = Math.max(longestMs, performance.now() - since)
    return answer
  })
}

/** Waits until the watcher is at the head of the chain, and returns how long that took in milliseconds. */
async function booked(): Promise<number> {
  const since = performance.now()
  const { hash } = await reader.readHead(stopping.signal)
  const isThere = async () => (await readCursor(shop.db, reader.network))?.hash === hash
  await vi.waitUntil(isThere, { timeout: 120_000, interval: 50 })
  return performance.now() - since
}

const epoch = async () => {
  const { epoch } = await shop.row<{ epoch: number }>(
    sql`select epoch from lease where name = ${`watch ${reader.network}`}`,
  )
  return epoch
}

it(`a full block of dust is booked, confirmed, reversed and booked again under one lease, and no statement takes long`, async () => {
  const invoice = await flow.openInvoice()
  const dust = flow.payments({ address: invoice.address, amountMinor: 1_000n }, outputsOfFullBlock)
  chain.mine([], new Date())
  await booked()
  const before = await epoch()
  const tookMs: number[] = []
  const takes = async (act: () => void) => {
    act()
    tookMs.push(Math.round(await booked()))
  }
  await takes(() => chain.mine([dust], new Date()))
  await takes(() => chain.mine([], new Date()))
  expect(new Set(await journalsOf(shop, invoice))).toEqual(new Set(['deposit.below_minimum']))
  await takes(() => {
    chain.rollback(2)
    chain.mine([], new Date())
    chain.mine([dust], new Date())
    chain.mine([], new Date())
  })
  console.log(`dust: ${tookMs.join(', ')} ms; longest statement ${Math.round(longestMs)} ms`)
  const { count } = await shop.row<{ count: number }>(
    sql`select count(*) as count from deposit where state = 'confirmed' and below_minimum and inclusion = 2`,
  )
  expect(count).toBe(outputsOfFullBlock)
  expect(await balanceOf(shop, invoice, coinMethodId)).toBe('0')
  expect(await epoch(), 'the lease was never lost').toBe(before)
  expect(longestMs).toBeLessThan(statementMsMax)
  stopping.abort()
  await watching
  expect(await flow.findViolations()).toEqual([])
}, 240_000)
