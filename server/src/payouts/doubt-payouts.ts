/** Payouts that should be mined by now and are not: unknown to every node, too cheap, or displaced. */
import { readCursor } from '../blocks/store.ts'
import { NodeError } from '../chains/port.ts'
import { assertLease } from '../db/lease.ts'
import { inTransaction } from '../db/transaction.ts'
import { bumped, bumpsMax, pricePolicy } from './accounts/price-gas.ts'
import { readHashes } from './attempt-store.ts'
import { haltUnderLease, type PayoutParts, raiseAlert, type Session } from './machine.ts'
import { maxCostMinor } from './payout.ts'
import { type PayoutMove, tellPurposes } from './purpose.ts'
import { readFreeCapital } from './read-capital.ts'
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
  session: Session,
  isLogKnown: boolean,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || cursor.hash === session.doubtedAt) return 0
  const open = await readOpen(db, network.name)
  const since = (height: number | undefined) => (height === undefined ? -1 : cursor.height - height)
  const waiting = open.filter(({ state }) => state === 'broadcast' || state === 'in_doubt')
  const late = waiting.filter(
    ({ state, sentHeight }) => state === 'in_doubt' || since(sentHeight) >= doubtBlocks,
  )
  session.doubtedAt = cursor.hash
  if (late.length === 0) return 0
  const displaced = isLogKnown ? await findDisplaced(parts, late, cursor, signal) : []
  const rest = late.filter((payout) => !displaced.includes(payout))
  const unknown = await findUnknown(
    parts,
    rest.filter(({ state }) => state === 'broadcast'),
    signal,
  )
  const moves: PayoutMove[] = [
    ...displaced.map((payout) => ({
      payout: { ...payout, state: 'displaced' as const },
      to: 'displaced' as const,
    })),
    ...unknown.map((payout) => ({
      payout: { ...payout, state: 'in_doubt' as const },
      to: 'in_doubt' as const,
    })),
  ]
  await saveDoubts(parts, session, moves)
  for (const { id, nonce, wallet } of displaced) await tellDisplaced(parts, session, id, nonce, wallet)
  const first = firstOfEach(open.filter(({ state }) => state !== 'included' && state !== 'planned'))
  const stuck = rest.filter(({ id, offeredHeight }) => first.has(id) && since(offeredHeight) >= stuckBlocks)
  return moves.length + (isLogKnown ? await raisePrices(parts, session, stuck, signal) : 0)
}

async function saveDoubts(parts: PayoutParts, session: Session, moves: readonly PayoutMove[]) {
  if (moves.length === 0) return
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, session.lease)
    for (const state of ['displaced', 'in_doubt'] as const) {
      const ids = moves.flatMap((move) => (move.to === state ? [move.payout.id] : []))
      if (ids.length > 0) await saveState(tx, ids, state)
    }
    await tellPurposes(parts.purposes, tx, moves)
  })
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
  { db, log, network, sender }: PayoutParts,
  payouts: readonly StoredPayout[],
  { finalHeight }: { readonly finalHeight: number },
  signal: AbortSignal,
): Promise<readonly StoredPayout[]> {
  if (finalHeight < 0) return []
  try {
    const wallets = [...new Set(payouts.map(({ wallet }) => wallet))]
    const counts = await sender.readNonces(wallets, finalHeight, signal)
    const used = new Map(wallets.map((wallet, index) => [wallet, counts[index] ?? 0]))
    const passed = payouts.filter(({ wallet, nonce }) => nonce < (used.get(wallet) ?? 0))
    const taken = await Promise.all(
      passed.map(async (payout) => ({
        payout,
        place: await sender.findTaken(payout.wallet, payout.nonce, finalHeight, signal),
      })),
    )
    const ids = passed.map(({ id }) => id)
    const places = taken.flatMap(({ place }) => place ?? [])
    const [hashes, ours] = [await readHashes(db, ids), await findOurBlocks(db, network.name, places)]
    return taken.flatMap(({ payout, place }) => {
      if (place === undefined || place.height > finalHeight) return []
      const isOwn = place.txHash !== undefined && (hashes.get(payout.id) ?? []).includes(place.txHash)
      return !isOwn && ours.has(`${place.height} ${place.blockHash}`) ? [payout] : []
    })
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    log.warn({ network: network.name, err: error }, 'nodes cannot tell whether payouts were displaced')
    return []
  }
}

async function tellDisplaced(
  parts: PayoutParts,
  session: Session,
  id: string,
  nonce: number,
  wallet: string,
): Promise<void> {
  const fields = { subject: id, wallet, nonce }
  raiseAlert(parts, session, 'payout-displaced', fields, 'another transaction took the place of a payout')
  const detail = `transaction ${nonce} of ${wallet} is neither ours nor in the signer's log: its key may be in other hands`
  await haltUnderLease(parts, session, 'log-unknown', detail)
}

/** The first of each wallet: the others wait for it. */
function firstOfEach(payouts: readonly StoredPayout[]): ReadonlySet<string> {
  const first = new Map<string, StoredPayout>()
  for (const payout of payouts) {
    const before = first.get(payout.wallet)
    if (before === undefined || payout.nonce < before.nonce) first.set(payout.wallet, payout)
  }
  return new Set([...first.values()].map(({ id }) => id))
}

/** Offers more for what is stuck; signed in the next step, at the same nonce. */
async function raisePrices(
  parts: PayoutParts,
  session: Session,
  stuck: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<number> {
  if (stuck.length === 0) return 0
  const level = await parts.sender.readFees(signal)
  const capital = await readFreeCapital(parts)
  let left = capital
  const raises = stuck.flatMap((payout) => {
    const fees = payout.bumps < bumpsMax ? bumped(payout.fees, level, parts.policy ?? pricePolicy) : undefined
    const moreMinor = fees === undefined ? 0n : maxCostMinor(fees) - payout.maxCostMinor
    if (fees !== undefined && moreMinor <= left) {
      left -= moreMinor
      return [{ payout, fees }]
    }
    const fields = { subject: payout.id, bumps: payout.bumps, maxFeeMinor: `${payout.fees.maxFeeMinor}` }
    raiseAlert(parts, session, 'payout-stuck', fields, 'a payout is stuck, and no more may be offered for it')
    return []
  })
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, session.lease)
    for (const { payout, fees } of raises) await saveFees(tx, payout.id, fees, payout.bumps + 1)
  })
  return raises.length
}
