/** The comparison of books and chain that never ends: an asset of which less is there than the books say leaves no more. */
import sql from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { haltAsset } from '../../outgoing/engine/controls/asset-halts.ts'
import type { SolvencySight } from '../../outgoing/engine/controls/solvency-sight.ts'
import { isLogAdopted } from '../../outgoing/engine/is-log-adopted.ts'
import type { PayoutParts } from '../../outgoing/engine/machine.ts'
import type { RunPayoutsParts } from '../../outgoing/engine/run-payouts.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { lookWhileAt } from './chain/cursor-block.ts'
import type { SettledChain } from './chain/outflows.ts'
import {
  type Books,
  type Reach,
  readBooks,
  readStandings,
  type Standing,
  shortageOf,
} from './chain/solvency.ts'

export interface StandingSolvencyParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly log: Log
  /** Of the network. Its own nodes are asked. */
  readonly machine: Pick<PayoutParts, 'chain' | 'way' | 'signer'>
}

/**
 * A run is followed by a rest so many times as long, which bounds the load on nodes and database whatever the number of addresses. The
 * shorter of the last two runs counts: one that waited, as at a start, says nothing of the next.
 */
const restsPerRun = 20

/** So many rests may go by without a comparison that ends, before payouts wait for one. */
const checksMissedMax = 3

/** How long to rest where the signer's log is not adopted yet, or the node is on another branch: payouts wait for the first end. */
const inconclusiveRestMs = 1_000

/**
 * Compares a network's books with its chain again and again, under the lease of its payouts: whoever plans is who compared. Where
 * money lies in coins there is nothing to do, each of them is looked after by whoever sends them.
 */
export function solvencyKeeper(
  parts: StandingSolvencyParts & { readonly clock: Clock },
): RunPayoutsParts['keepSolvent'] {
  const { clock, log, machine } = parts
  if (machine.chain.traits.hasOutpoints) return undefined
  return (lease, sight, signal) => workLoop(solvencyCheck(parts, lease, sight), { clock, log, signal })
}

/** It never lifts a halt: what was missing and is there again is worth a look all the more. */
export function solvencyCheck(parts: StandingSolvencyParts, lease: Lease, sight: SolvencySight): Worker {
  const { db, log, machine } = parts
  const { network } = machine.chain
  let restMs: number = limits.standingCheckMs
  let tookBeforeMs = 0
  return {
    name: `check solvency ${network}`,
    get idleMs() {
      return restMs
    },
    takeAndDo: async (signal) => {
      const beganMs = performance.now()
      // What was signed and is not known here yet took money that the books still count.
      const isKnown = await isLogAdopted(db, machine.signer)
      const shortages = isKnown ? await findShortages(parts, signal) : undefined
      const leastMs = shortages === undefined ? inconclusiveRestMs : limits.standingCheckMs
      const tookMs = performance.now() - beganMs
      restMs = Math.max(leastMs, restsPerRun * Math.min(tookMs, tookBeforeMs))
      tookBeforeMs = tookMs
      if (shortages === undefined) return 0
      sight.note(
        shortages.map(({ asset }) => asset),
        checksMissedMax * restMs + limits.standingCheckGraceMs,
      )
      if (shortages.length === 0) return 0
      await inTransaction(db, async (tx) => {
        await assertLease(tx, lease)
        for (const { asset, detail } of shortages) {
          await haltAsset({ db: tx, log }, { asset, cause: 'insolvent', detail })
        }
      })
      return 0
    },
  }
}

interface Shortage {
  readonly asset: string
  readonly detail: string
}

/**
 * Where the addresses that should hold something hold less than the books say, all addresses that ever were ours are asked
 * before anything is said: a little may lie where the books do not look for it. Undefined where nothing can be said, since nothing
 * is followed yet, or the node is on another branch.
 */
async function findShortages(
  parts: StandingSolvencyParts,
  signal: AbortSignal,
): Promise<readonly Shortage[] | undefined> {
  for (const reach of ['holding', 'all'] as const) {
    const books = await inTransaction(parts.db, async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read, read only`)
      await tx.allowStatements(0)
      return readBooks({ on: tx, methods: parts.methods }, parts.machine.chain.network, reach)
    })
    const shortages = await compare(parts, books, signal)
    if (shortages === undefined || shortages.length === 0 || reach === ('all' satisfies Reach))
      return shortages
  }
  return []
}

async function compare(
  { machine }: StandingSolvencyParts,
  books: Books,
  signal: AbortSignal,
): Promise<readonly Shortage[] | undefined> {
  const { cursor, addresses } = books
  if (cursor === undefined) return undefined
  const chain: SettledChain = {
    reader: machine.chain,
    sender: { readReceipts: (hashes, either) => machine.way.readReceipts(hashes, either) },
  }
  const look = () => readStandings(chain, { ...books, cursor }, signal)
  const standings: readonly Standing[] | undefined = await lookWhileAt(chain, cursor, signal, look)
  if (standings === undefined) return undefined
  const where = `${addresses.length} addresses at block ${cursor.height}`
  return standings
    .filter(({ heldMinor, expectedMinor }) => heldMinor < expectedMinor)
    .map((standing) => ({ asset: standing.asset, detail: shortageOf(standing, where) }))
}
