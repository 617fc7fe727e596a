/** Payouts that should be mined by now and are not: unknown to every node, too cheap, or displaced. */
import type { Cursor } from '../../chains/blocks/block.ts'
import { readCursor } from '../../chains/blocks/store.ts'
import { NodeError } from '../../chains/port.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { readHashes } from './attempt-store.ts'
import { haltPayouts } from './controls/halts.ts'
import { readFreeCapital } from './controls/read-capital.ts'
import { coinOf, type PayoutParts, raiseAlert, settledHeight } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import { bumpsMax, type Fees, maxCostMinor } from './payout.ts'
import { type PayoutMove, tellPurposes } from './purpose.ts'
import { keepTwins } from './recovery/guard-past.ts'
import { requestRecovery } from './recovery/recovery-store.ts'
import { findOurBlocks, readOpen, type StoredPayout, saveFees, saveState } from './store.ts'

/** Blocks after which a node that knows of a transaction would tell of it. */
const doubtBlocks = 2
/** Blocks after which a higher price is offered. */
const stuckBlocks = 4

/**
 * @param isLogKnown whether the database holds all that was ever signed; else nothing counts as displaced
 * @returns how many payouts moved
 */
export async function doubtPayouts(
  parts: PayoutParts,
  memory: MachineMemory,
  isLogKnown: boolean,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || cursor.hash === memory.doubtedAt) return 0
  const open = await readOpen(db, network.name)
  const since = (height: number | undefined) => (height === undefined ? -1 : cursor.height - height)
  const waiting = open.filter(({ state }) => state === 'broadcast' || state === 'in_doubt')
  const late = waiting.filter(
    ({ state, sentHeight }) => state === 'in_doubt' || since(sentHeight) >= doubtBlocks,
  )
  if (late.length === 0) {
    memory.doubtedAt = cursor.hash
    return 0
  }
  const taken = isLogKnown ? await findDisplaced(parts, late, cursor, signal) : []
  const displaced = await keepTwins(parts, memory, taken, settledHeight(parts, cursor), signal)
  await giveUp(parts, memory, displaced)
  const rest = late.filter((payout) => !taken.includes(payout))
  const unknown = await findUnknown(
    parts,
    rest.filter(({ state }) => state === 'broadcast'),
    signal,
  )
  if (unknown.length > 0) await inTransaction(db, (tx) => saveDoubts(parts, memory, tx, unknown, 'in_doubt'))
  const first = parts.way.firstOf(open.filter(({ state }) => state !== 'included' && state !== 'planned'))
  const firstIds = new Set(first.map(({ id }) => id))
  const stuck = rest.filter(
    ({ id, offeredHeight }) => firstIds.has(id) && since(offeredHeight) >= stuckBlocks,
  )
  const raised = isLogKnown ? await raisePrices(parts, memory, stuck, signal) : 0
  // Here at last: where a node could not be asked, it is asked again before the next block.
  memory.doubtedAt = cursor.hash
  return displaced.length + unknown.length + raised
}

async function saveDoubts(
  { purposes }: PayoutParts,
  { lease }: MachineMemory,
  tx: Tx,
  payouts: readonly StoredPayout[],
  to: 'displaced' | 'in_doubt',
): Promise<void> {
  await assertLease(tx, lease)
  await saveState(
    tx,
    payouts.map(({ id }) => id),
    to,
  )
  await tellPurposes(
    purposes,
    tx,
    payouts.map((payout): PayoutMove => ({ payout: { ...payout, state: to }, to })),
  )
}

/** Halts in the transaction that gives them up: nobody would find out a second time that a key is in other hands. */
async function giveUp(
  parts: PayoutParts,
  memory: MachineMemory,
  displaced: readonly StoredPayout[],
): Promise<void> {
  const [first] = displaced
  if (first === undefined) return
  await inTransaction(parts.db, async (tx) => {
    await saveDoubts(parts, memory, tx, displaced, 'displaced')
    const { nonce, wallet } = first
    const detail = `transaction ${nonce} of ${wallet} is neither ours nor in the signer's log: its key may be in other hands`
    // Bytes that were signed for something else and forgotten could do the same: what else of them is about must go first.
    if (first.from.type === 'lane') await requestRecovery(tx, parts.network.name, detail)
    await haltPayouts({ db: tx, log: parts.log }, 'log-unknown', detail)
  })
  for (const { id, nonce, wallet } of displaced) {
    const fields = { subject: id, wallet, nonce }
    raiseAlert(parts, memory, 'payout-displaced', fields, 'another transaction took the place of a payout')
  }
}

/** Those whose newest bytes no node knows of any more. */
async function findUnknown(
  { db, chain }: PayoutParts,
  payouts: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<readonly StoredPayout[]> {
  const hashes = await readHashes(
    db,
    payouts.map(({ id }) => id),
  )
  const sights = await Promise.all(
    payouts.map(async ({ id }) => {
      const [newest] = hashes.get(id) ?? []
      return newest === undefined ? undefined : (await chain.readTransaction(newest, signal)).type
    }),
  )
  return payouts.filter((_, index) => sights[index] === 'unknown')
}

/**
 * Those whose place in the order is shown to be taken for good: in a block that is final and in our own list, by what is
 * none of their attempts. A hold is released by this, so that nothing follows from what a node does not show; one that
 * cannot tell leaves all as it is.
 */
async function findDisplaced(
  parts: PayoutParts,
  payouts: readonly StoredPayout[],
  cursor: Cursor,
  signal: AbortSignal,
): Promise<readonly StoredPayout[]> {
  const { db, log, network, way } = parts
  const finalHeight = settledHeight(parts, cursor)
  if (finalHeight < 0) return []
  try {
    const places = await way.findTaken(payouts, finalHeight, signal)
    const ids = payouts.filter((_, index) => places[index] !== undefined).map(({ id }) => id)
    const blocks = places.flatMap((place) => place ?? [])
    const hashes = await readHashes(db, ids)
    const ours = await findOurBlocks(db, network.name, blocks)
    return payouts.filter((payout, index) => {
      const place = places[index]
      if (place === undefined || place.height > finalHeight) return false
      const isOwn = place.txHash !== undefined && (hashes.get(payout.id) ?? []).includes(place.txHash)
      return !isOwn && ours.has(`${place.height} ${place.blockHash}`)
    })
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn({ network: network.name, err: error }, 'nodes cannot tell whether payouts were displaced')
    return []
  }
}

/** Offers more for what is stuck; signed in the next step, at the same place. */
async function raisePrices(
  parts: PayoutParts,
  memory: MachineMemory,
  stuck: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<number> {
  if (stuck.length === 0) return 0
  const offers = await parts.way.raise(memory, stuck, signal)
  return inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await lockOwnMoney(tx, coinOf(parts))
    const free = await readFreeCapital({ ...parts, db: tx })
    const raises = affordable(parts, memory, { stuck, offers }, free)
    for (const { payout, fees } of raises) await saveFees(tx, payout.id, fees, payout.bumps + 1)
    return raises.length
  })
}

/** The higher prices that may be offered and that the operator's own money pays, whatever they come to. */
function affordable(
  parts: PayoutParts,
  memory: MachineMemory,
  { stuck, offers }: { stuck: readonly StoredPayout[]; offers: readonly (Fees | undefined)[] },
  capitalMinor: bigint,
): readonly { readonly payout: StoredPayout; readonly fees: Fees }[] {
  let left = capitalMinor
  return stuck.flatMap((payout, index) => {
    const fees = payout.bumps < bumpsMax ? offers[index] : undefined
    const moreMinor = fees === undefined ? 0n : maxCostMinor(fees) - payout.maxCostMinor
    if (fees !== undefined && moreMinor <= left) {
      left -= moreMinor
      return [{ payout, fees }]
    }
    const fields = { subject: payout.id, bumps: payout.bumps, maxFeeMinor: `${payout.fees.maxFeeMinor}` }
    raiseAlert(parts, memory, 'payout-stuck', fields, 'a payout is stuck, and no more may be offered for it')
    return []
  })
}
