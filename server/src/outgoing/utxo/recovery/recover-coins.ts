/** Where money lies in coins: what nodes show to spend them, and nobody here knows; and what follows from that. */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { readCursor } from '../../../chains/blocks/store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { returnPlanned } from '../../engine/adopt-log.ts'
import { findKnown } from '../../engine/attempt-store.ts'
import { settledHeight } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { tellPurposes } from '../../engine/purpose.ts'
import type { Recovery, RecoveryStep } from '../../engine/recovery/recovery.ts'
import { saveTargets } from '../../engine/recovery/recovery-store.ts'
import type { RecoveryWay } from '../../engine/recovery/recovery-way.ts'
import { readOpen, type StoredPayout, saveState } from '../../engine/store.ts'
import type { CoinParts } from '../coin-parts.ts'
import { findTaken } from '../find-taken.ts'
import { adoptSpenders, readCoinTwin } from './adopt-spenders.ts'
import { deleteRespends, findAccounted, findRespends } from './exposed-coin-store.ts'
import { type HeldCoin, readHeldCoins } from './held-coin-store.ts'
import { respendCoins } from './respend-coins.ts'

/** Bytes that were forgotten are found by the coins that they spend, in blocks and in mempools. */
export function recoverCoins(parts: CoinParts): RecoveryWay {
  return {
    wayOut: `let payouts go on: ${parts.network.name} takes over what its chain shows, and spends every coin that forgotten transactions may spend to itself, before it sends anything else`,
    findAhead: (_, signal) => findAhead(parts, signal),
    recover: (memory, recovery, signal) => recover(parts, memory, recovery, signal),
    findOwn: (payoutIds) => findRespends(parts.db, payoutIds),
    readTwin: (_, payout, height, signal) => readCoinTwin(parts, payout, height, signal),
  }
}

/**
 * First fixes up to which block coins may be spent by forgotten bytes; then takes over what final blocks show to spend coins of
 * ours, gives up what that displaced, and spends all other coins of that time to ourselves. It is over when all that is final.
 */
async function recover(
  parts: CoinParts,
  memory: MachineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<RecoveryStep> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined) return { done: 0, waits: [], isOver: false }
  const fixed = recovery.targets?.[untilKey]
  // Not reached yet it is asked for again: a node that claimed too much once keeps the network waiting no longer than it does.
  const isReached = fixed !== undefined && cursor.height >= fixed
  const until = isReached ? fixed : await fixUntil(parts, memory, cursor, signal)
  if (cursor.height < until) return { done: 0, waits: [behind(cursor, until)], isOver: false }
  const settled = settledHeight(parts, cursor)
  const adoption = await adoptSpenders(parts, memory, recovery, settled, signal)
  if (adoption.isHalted) return { done: adoption.done, waits: [], isOver: false }
  const displaced = await giveUpDisplaced(parts, memory, settled, signal)
  const respending = await respendCoins(parts, memory, { until, cursor }, signal)
  const open = await readOpen(db, network.name)
  const isOver = adoption.left + open.length + respending.left === 0
  const done = adoption.done + displaced + respending.done
  if (isOver) return { done, waits: [], isOver }
  return { done, waits: [...respending.waits, progressOf(open, adoption.left, respending.left)], isOver }
}

/** In the targets of a recovery: the highest block up to which coins of ours may be spent by forgotten bytes. */
const untilKey = 'until'

/**
 * Whatever was forgotten was signed before, and spends what was in a block by then. What was only planned is planned anew
 * afterwards: its coins may be spent already.
 */
async function fixUntil(
  parts: CoinParts,
  memory: MachineMemory,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<number> {
  const { db, network, chain } = parts
  const { height, claimedHeight = 0 } = await chain.readHead(signal)
  const until = Math.max(height, claimedHeight, cursor.height)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const planned = (await readOpen(tx, network.name)).filter(({ state }) => state === 'planned')
    await returnPlanned(tx, idsOf(planned))
    await deleteRespends(tx, network.name)
    await saveTargets(tx, network.name, { [untilKey]: until })
  })
  return until
}

/** Gives up what can never be mined any more, since a coin of it is spent by what is known here, or was never made. */
async function giveUpDisplaced(
  parts: CoinParts,
  memory: MachineMemory,
  height: number,
  signal: AbortSignal,
): Promise<number> {
  const { db, network, purposes } = parts
  const waiting = (await readOpen(db, network.name)).filter(
    ({ state }) => state !== 'planned' && state !== 'included',
  )
  if (waiting.length === 0 || height < 0) return 0
  const taken = await findTaken(parts, waiting, height, signal)
  const known = await findAccounted(
    db,
    network.name,
    taken.flatMap((one) => one?.txHash ?? []),
  )
  const displaced = waiting.filter((_, index) => {
    const one = taken[index]
    return one !== undefined && (one.isUnmade || known.has(one.txHash))
  })
  if (displaced.length === 0) return 0
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await saveState(tx, idsOf(displaced), 'displaced')
    const moves = displaced.map((payout) => ({
      payout: { ...payout, state: 'displaced' as const },
      to: 'displaced' as const,
    }))
    await tellPurposes(purposes, tx, moves)
  })
  memory.followed = undefined
  return displaced.length
}

function idsOf(payouts: readonly StoredPayout[]): readonly string[] {
  return payouts.map(({ id }) => id)
}

function behind({ height }: Cursor, until: number) {
  return {
    cause: 'recovery-blocks',
    detail: `our blocks end at ${height}, and forgotten transactions may be in those up to ${until}`,
  }
}

function progressOf(open: readonly StoredPayout[], unknown: number, coins: number) {
  const detail = `${open.length} transactions of ours and ${unknown} that are unknown here are not final yet, ${coins} coins are to be respent`
  return { cause: 'recovery-finality', detail }
}

/** Coins that are asked for at once. */
const askedAtOnce = 16

async function findAhead(parts: CoinParts, signal: AbortSignal): Promise<string | undefined> {
  const { db, network } = parts
  const coins = await readHeldCoins(db, network.name)
  for (let start = 0; start < coins.length; start += askedAtOnce) {
    const some = coins.slice(start, start + askedAtOnce)
    const spenders = await Promise.all(some.map((coin) => findSpender(parts, coin, signal)))
    const known = await findKnown(
      db,
      network.name,
      spenders.flatMap((spender) => spender ?? []),
    )
    for (const [index, { outpoint }] of some.entries()) {
      const spender = spenders[index]
      if (spender === undefined || known.has(spender)) continue
      return `${spender} on ${network.name} spends the coin ${outpoint} and is in neither the database nor the signer's log`
    }
  }
  return undefined
}

/** In a mempool, or in a block that our own list does not have yet. */
async function findSpender(
  { sender }: CoinParts,
  { outpoint, height }: HeldCoin,
  signal: AbortSignal,
): Promise<string | undefined> {
  const waiting = await sender.findWaitingSpender(outpoint, signal)
  if (waiting !== undefined) return waiting
  return (await sender.findSpent(outpoint, { from: height, to: Number.MAX_SAFE_INTEGER }, signal))?.txHash
}
