/**
 * Measures how fast a block with thousands of payments is booked. The time starts when the data of the block
 * is in memory, and ends with the commit. Also measures the later block that credits these payments.
 */
import { FakeChain } from '../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../src/chains/fake/fake-reader.ts'
import { required } from '../src/core/assert.ts'
import { silentLog } from '../src/core/log.ts'
import { acquireLease } from '../src/platform/db/lease.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { feeDefaults } from '../src/pricing/fees/fee.ts'
import { type FollowChainParts, followChain } from '../src/watcher/follow-chain.ts'
import { amountMinor, assertAttributed } from './fill-shop.ts'
import { figure, type Measurement, median, spreadOf } from './measurement.ts'
import { methodsWith } from './methods.ts'
import { onCopy, openShop, type Prepared, type Shop, type Sizes } from './shops.ts'

const tokenContract = `0x${'11'.repeat(20)}`

/**
 * Measures how fast payments are posted, in each shop that is as large as the target requires and in one shop
 * of exactly that size. Each payment belongs to a different invoice.
 */
export async function measurePostings(prepared: Prepared): Promise<readonly Measurement[]> {
  const { sizes, shops, postgres, note } = prepared
  const paid = sizes.payments * sizes.postings
  const larger = shops.filter(({ addresses }) => addresses.length > paid)
  const measurements: Measurement[] = []
  for (const shop of [...larger, await openShop(postgres, prepared, paid)]) {
    note(`posting, ${shop.addresses.length} watched`)
    measurements.push(...(await onCopy(prepared, shop, ({ db }) => postBlocks(db, shop, sizes))))
  }
  return measurements
}

async function postBlocks(db: Db, { addresses }: Shop, sizes: Sizes): Promise<readonly Measurement[]> {
  const { payments, postings } = sizes
  const chain = new FakeChain({ genesisAt: new Date() })
  const step = await openFollower(db, chain)
  await step()
  const bookedMs: number[] = []
  const creditedMs: number[] = []
  for (let round = 0; round < postings; round += 1) {
    const paid = addresses.slice(round * payments, (round + 1) * payments)
    chain.mine(paid.map((recipient) => payment(chain, recipient)))
    bookedMs.push(await step())
    chain.mine()
    creditedMs.push(await step())
  }
  await assertAttributed(db)
  const size = `${payments} payments of one block, ${addresses.length} watched`
  return [bar(`booked: ${size}`, bookedMs, payments), bar(`credited: ${size}`, creditedMs, payments)]
}

/**
 * Returns a measurement with the target of 5,000 payments in 2 s, scaled to the number of payments. The
 * measured value is the slowest repetition.
 */
function bar(name: string, samplesMs: readonly number[], payments: number): Measurement {
  const perSecond = (payments / median(samplesMs)) * 1000
  return {
    bar: name,
    must: { atMost: (2_000 * payments) / 5_000 },
    measured: Math.max(...samplesMs),
    unit: 'ms',
    remark: `${figure(perSecond)}/s; ${spreadOf(samplesMs, 'ms')}`,
  }
}

/** Returns a function that books the next block and returns the duration in milliseconds. */
async function openFollower(db: Db, chain: FakeChain): Promise<() => Promise<number>> {
  const lease = await acquireLease(db, {
    name: 'watch ethereum',
    holderId: crypto.randomUUID(),
    ttlMs: 3_600_000,
  })
  const parts: FollowChainParts = {
    db,
    chain: openFakeReader(chain),
    methods: methodsWith({ USDT: tokenContract, USDC: `0x${'22'.repeat(20)}` }),
    log: silentLog,
    lease: required(lease, 'the lease'),
    mayUndoFinal: true,
    feeDefaults: feeDefaults.sandbox,
  }
  const signal = new AbortController().signal
  return async () => {
    const startedMs = performance.now()
    await followChain(parts, signal)
    return performance.now() - startedMs
  }
}

function payment(chain: FakeChain, recipient: string) {
  const asset = { type: 'token', contract: tokenContract } as const
  return chain.transaction([{ asset, sender: chain.newAddress(), recipient, amountMinor }])
}
