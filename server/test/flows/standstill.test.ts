/** Tests that a chain which cannot be followed reports the reason, in the database and thereby at /readyz. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { readFailures } from '../../src/chains/blocks/failure-store.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { findObstacles } from '../../src/oversight/health/readiness.ts'
import { LeaseLostError, releaseLease } from '../../src/platform/db/lease.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { watchChain } from '../../src/watcher/watch-chain.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { useChainFlow } from '../support/chain-flow.ts'
import { chainFailureRecords, cursorRecords, leaseRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { inTheFuture, moved, plus } from '../support/records/values.ts'
import { type Shop, useShop } from '../support/shop.ts'
import { balanceOf } from '../support/shop-readers.ts'

/** Watches the chain until the test ends. The returned function stops the watcher. */
function watch({ db, methods, feeDefaults }: Shop, chain: ChainReader, log = silentLog): () => Promise<void> {
  const stop = new AbortController()
  const clock = systemClock
  const parts = { db, chain, methods, feeDefaults, clock, log, mayUndoFinal: true, pollMs: 50 }
  const watching = watchChain({ ...parts, rowSerialOn: () => 0, signal: stop.signal })
  const end = async () => {
    stop.abort()
    await watching
  }
  onTestFinished(end)
  return end
}

/** Makes failures look this many seconds older. */
async function age({ db }: Shop, seconds: number): Promise<void> {
  await chainFailureRecords.change(db, {}, { failingSince: moved(`${-seconds} seconds`) })
}

describe('a chain that is followed', () => {
  const flow = useChainFlow()
  const { shop, anvil } = flow
  const obstacles = () => findObstacles({ db: shop.db, networks: ['ethereum'], isPaced: false })
  const failures = () => readFailures(shop.db)

  /** Starts a node that refuses to trace one block until the test stops that. */
  async function refusingToTrace(height: number) {
    let isRefusing = true
    const error = { code: -32000, message: 'see https://node.example/key/hunter2 for block traces' }
    const node = await startAlteredNode(anvil.url, (call, answer) =>
      isRefusing && call.method === 'trace_block' && Number(call.params[0]) === height
        ? { id: call.id, error: error }
        : answer,
    )
    const chain = openDevChain(node.url)
    onTestFinished(async () => {
      await chain.close()
      await node.close()
    })
    const trace = () => {
      isRefusing = false
    }
    return { chain, trace }
  }

  it('reports which block cannot be booked, why and since when, until it is booked', async () => {
    const invoice = await flow.openInvoice()
    await flow.pay(invoice)
    const poison = await anvil.mine()
    await anvil.mine()
    const { chain, trace } = await refusingToTrace(poison)
    const end = watch(shop, chain)
    await expect.poll(failures).toMatchObject([{ network: 'ethereum', height: poison }])
    expect(await obstacles(), 'a failure that may be over in a moment').toEqual([])
    await age(shop, 42)
    const why = 'trace_block failed: see \\(a URL\\) for block traces \\(-32000\\)'
    const pattern = new RegExp(`^ethereum has been failing at block ${poison} for \\d\\d s: ${why}$`)
    expect(await obstacles()).toEqual([expect.stringMatching(pattern)])
    trace()
    await expect.poll(() => balanceOf(shop, invoice), { timeout: 10_000 }).toBe('9.8')
    await expect.poll(failures).toEqual([])
    expect(await obstacles()).toEqual([])
    await end()
  })

  it('is booked up to the block that cannot be read', async () => {
    const invoice = await flow.openInvoice()
    await flow.pay(invoice)
    await anvil.mine(2)
    await anvil.sendCoin({ to: anvil.accounts[9] ?? '', amountMinor: 1n })
    const poison = await anvil.mine()
    const { chain, trace } = await refusingToTrace(poison)
    watch(shop, chain)
    await expect.poll(() => balanceOf(shop, invoice), { timeout: 10_000 }).toBe('9.8')
    await expect.poll(failures).toMatchObject([{ height: poison }])
    trace()
    await expect.poll(failures, { timeout: 10_000 }).toEqual([])
  })

  it('keeps the start of the failure while the same block fails, and sets a new one for another block', async () => {
    await anvil.sendCoin({ to: anvil.accounts[9] ?? '', amountMinor: 1n })
    const first = await anvil.mine()
    const { chain, trace } = await refusingToTrace(first)
    const end = watch(shop, chain)
    await expect.poll(failures).toMatchObject([{ height: first }])
    await chainFailureRecords.change(shop.db, {}, { message: 'not told yet', failingSince: moved('-1 hour') })
    await expect
      .poll(failures, { timeout: 10_000 })
      .toMatchObject([{ height: first, message: expect.stringContaining('failed') }])
    expect((await failures())[0]?.failingSeconds).toBeGreaterThan(3600)
    await end()
    await chainFailureRecords.change(shop.db, {}, { height: plus(-1) })
    watch(shop, chain)
    await expect.poll(failures).toMatchObject([{ height: first }])
    expect((await failures())[0]?.failingSeconds).toBeLessThan(60)
    trace()
    await expect.poll(failures, { timeout: 10_000 }).toEqual([])
  })

  it('is not reported as failing if its watcher was stopped or replaced', async () => {
    const errors: unknown[] = []
    const log: Log = { ...silentLog, error: ({ err }) => errors.push(err) }
    const end = watch(shop, flow.reader, log)
    const held = () => leaseRecords.all(shop.db, { expiresAt: inTheFuture })
    await expect.poll(held).toHaveLength(1)
    await leaseRecords.change(shop.db, {}, { epoch: plus(1) })
    await expect.poll(() => errors).toContainEqual(expect.any(LeaseLostError))
    await end()
    expect(await failures()).toEqual([])
    await leaseRecords.change(shop.db, {}, { expiresAt: '-infinity' })
  })

  it('is not recorded as read by a watcher that has lost its lease', async () => {
    const lease = await flow.takeLease()
    await releaseLease(shop.db, lease)
    const seen = () => cursorRecords.one(shop.db, {}, 'seenAt', 'headHeight')
    const before = await seen()
    const step = followChain(flow.partsUnder(lease), new AbortController().signal)
    await expect(step).rejects.toThrow(LeaseLostError)
    expect(await seen()).toEqual(before)
  })
})

describe('a chain whose nodes report no internal transfers', () => {
  const database = useDatabase()
  const shop = useShop(database)

  it('is followed, which is said aloud once', async () => {
    const chain = new FakeChain()
    const warnings: string[] = []
    const log: Log = { ...silentLog, warn: (_, text) => void warnings.push(text) }
    watch(shop, openFakeReader(chain, { seesInternalTransfers: false }), log)
    await expect.poll(() => cursorRecords.count(database.db)).toBe(1)
    expect(await readFailures(database.db)).toEqual([])
    chain.mine([])
    await expect.poll(() => warnings).toEqual([expect.stringMatching(/no internal transfers.*found late/)])
  })
})
