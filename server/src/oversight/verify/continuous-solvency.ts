/**
 * Compares the books with the chain continuously. If our addresses hold less of an asset than the books say,
 * payouts of that asset are halted.
 */
import sql from 'sql-template-tag'
import { type Clock, monotonicMs } from '../../core/clock.ts'
import { type Worker, workLoop } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Log } from '../../core/log.ts'
import { haltAsset } from '../../outgoing/engine/controls/asset-halts.ts'
import type { SolvencyState } from '../../outgoing/engine/controls/solvency-state.ts'
import type { EngineParts } from '../../outgoing/engine/engine-parts.ts'
import { isLogAdopted } from '../../outgoing/engine/is-log-adopted.ts'
import type { RunEngineParts } from '../../outgoing/engine/run.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readWhileAt } from './chain/cursor-block.ts'
import type { SettledChain } from './chain/outflows.ts'
import {
  type Books,
  type Coverage,
  type Reach,
  readBooks,
  readCoverages,
  shortageOf,
} from './chain/solvency.ts'

export interface ContinuousSolvencyParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly log: Log
  /** The payout engine of the network. The comparison asks the nodes of this engine. */
  readonly engine: Pick<EngineParts, 'chain' | 'strategy' | 'signer'>
}

/**
 * The pause after a run, as a multiple of a run's duration. The pause bounds the load on nodes and database
 * for any number of addresses. The shorter of the last two durations is used, because a single run may be
 * unusually long, such as the first one after a start.
 */
const restsPerRun = 20

/** If no comparison was completed for this many pauses, payouts wait until one is completed. */
const checksMissedMax = 3

/**
 * The pause after a run that compared nothing, because the signer's log was not adopted yet or the node was
 * on another branch. It is short because payouts wait for the first completed comparison.
 */
const inconclusiveRestMs = 1_000

/**
 * Returns the job that compares a network's books with its chain again and again. The job runs under the
 * lease of the network's payouts, so the process that plans payouts also compares. Returns undefined for a
 * UTXO network, where the sender checks each output before spending it.
 */
export function solvencyKeeper(
  parts: ContinuousSolvencyParts & { readonly clock: Clock },
): RunEngineParts['keepSolvent'] {
  const { clock, log, engine } = parts
  if (engine.chain.traits.hasOutpoints) return undefined
  return (lease, solvency, signal) => workLoop(solvencyCheck(parts, lease, solvency), { clock, log, signal })
}

/**
 * Returns the worker that compares the books with the chain. The worker never lifts a halt, because a
 * shortage that disappeared is even more suspicious.
 */
export function solvencyCheck(parts: ContinuousSolvencyParts, lease: Lease, solvency: SolvencyState): Worker {
  const { db, log, engine } = parts
  const { network } = engine.chain
  let restMs: number = limits.continuousCheckMs
  let tookBeforeMs = 0
  return {
    name: `check solvency ${network}`,
    get idleMs() {
      return restMs
    },
    runBatch: async (signal) => {
      const beganMs = monotonicMs()
      // The signer's log may contain a transaction that this database lacks. It has moved money that the
      // books still count. Amounts are therefore compared only after the whole log was adopted.
      const isKnown = await isLogAdopted(db, engine.signer)
      const shortages = isKnown ? await findShortages(parts, signal) : undefined
      const leastMs = shortages === undefined ? inconclusiveRestMs : limits.continuousCheckMs
      const tookMs = monotonicMs() - beganMs
      restMs = Math.max(leastMs, restsPerRun * Math.min(tookMs, tookBeforeMs))
      tookBeforeMs = tookMs
      if (shortages === undefined) return 0
      solvency.note(
        shortages.map(({ asset }) => asset),
        checksMissedMax * restMs + limits.continuousCheckGraceMs,
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
 * Returns the assets of which our addresses hold less than the books say. First reads only the addresses that
 * hold something according to the books. If these hold too little, reads all addresses that ever were ours,
 * because money may be at an address that the books take as empty. Returns undefined if nothing can be
 * compared: no block is booked yet, or the node is on another branch.
 */
async function findShortages(
  parts: ContinuousSolvencyParts,
  signal: AbortSignal,
): Promise<readonly Shortage[] | undefined> {
  for (const reach of ['holding', 'all'] as const) {
    const books = await inTransaction(parts.db, async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read, read only`)
      await tx.allowStatements(0)
      return readBooks({ on: tx, methods: parts.methods }, parts.engine.chain.network, reach)
    })
    const shortages = await compare(parts, books, signal)
    if (shortages === undefined || shortages.length === 0 || reach === ('all' satisfies Reach))
      return shortages
  }
  return []
}

async function compare(
  { engine }: ContinuousSolvencyParts,
  books: Books,
  signal: AbortSignal,
): Promise<readonly Shortage[] | undefined> {
  const { cursor, addresses } = books
  if (cursor === undefined) return undefined
  const chain: SettledChain = {
    reader: engine.chain,
    sender: {
      readReceipts: (hashes, either, agreedUpTo) => engine.strategy.readReceipts(hashes, either, agreedUpTo),
    },
  }
  const scan = () => readCoverages(chain, { ...books, cursor }, signal)
  const coverages: readonly Coverage[] | undefined = await readWhileAt(chain, cursor, signal, scan)
  if (coverages === undefined) return undefined
  const where = `${addresses.length} addresses at block ${cursor.height}`
  return coverages
    .filter(({ heldMinor, expectedMinor }) => heldMinor < expectedMinor)
    .map((coverage) => ({ asset: coverage.asset, detail: shortageOf(coverage, where) }))
}
