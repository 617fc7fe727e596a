import { readCursor, readProgress } from '../blocks/store.ts'
import type { FeeLevel } from '../chains/port.ts'
import { required } from '../core/assert.ts'
import { newId } from '../core/ids.ts'
import { limits } from '../core/limits.ts'
import { assertLease } from '../db/lease.ts'
import type { Queryable } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteRefusals, readHalts, readLongWaits, readRetries, replaceWaits } from './halt-store.ts'
import { coinOf, haltUnderLease, ownPlaces, type PayoutParts, raiseAlert, type Session } from './machine.ts'
import { type Fees, maxCostMinor } from './payout.ts'
import {
  type Choice,
  chooseWallets,
  coveredCount,
  gasFor,
  nextNonces,
  priceFor,
  pricePolicy,
  type Shift,
  type Wait,
} from './plan.ts'
import { NotWantedError, type PayoutPurpose, type Proposal, tellPurposes } from './purpose.ts'
import { readFreeCapital } from './read-capital.ts'
import { readWallets } from './read-wallets.ts'
import { spendOf } from './spend-of.ts'
import { insertPayouts, type NewPayout } from './store.ts'
import { hasOpenShift, isSealBehind, readTakenNonces } from './wallet-store.ts'

/** More than this behind the node, or this long without its word, and nothing is decided by our blocks. */
const lagBlocksMax = 10
const silentSecondsMax = 60

/**
 * Gives what is proposed its wallet, its place in that wallet's order and its price.
 * @returns how many were planned
 */
export async function planPayouts(
  parts: PayoutParts,
  session: Session,
  signal: AbortSignal,
): Promise<number> {
  if ((await readHalts(parts.db)).length > 0) return 0
  const proposals = await propose(parts, session, signal)
  if (proposals.length === 0) {
    await noteWaits(parts, session, [])
    return 0
  }
  const standstill = await findStandstill(parts)
  if (standstill !== undefined) {
    await noteWaits(parts, session, [standstill])
    return 0
  }
  const level = await parts.sender.readFees(signal)
  const price = priceFor(level, parts.policy ?? pricePolicy)
  if (price === undefined) {
    await noteWaits(parts, session, [dear(level)])
    return 0
  }
  return plan(parts, session, proposals, price, signal)
}

function dear({ baseFeeMinor }: FeeLevel): Wait {
  return { cause: 'price', detail: `the network asks for ${baseFeeMinor} per unit of gas, above the ceiling` }
}

/** What was refused before and has its time now, then what each purpose has; a purpose that fails keeps nobody else. */
async function propose(
  { db, log, network, purposes }: PayoutParts,
  { lease }: Session,
  signal: AbortSignal,
): Promise<readonly Proposal[]> {
  const max = limits.payoutsPlannedAtOnce
  const proposals = [...(await readFreeRetries(db, network.name, purposes, max))]
  for (const purpose of purposes) {
    try {
      await purpose.prepare?.(lease, network.name, signal)
      proposals.push(...(await purpose.propose(db, network.name, max)))
    } catch (error) {
      if (signal.aborted) throw error
      log.error(
        { network: network.name, kinds: purpose.kinds, err: error },
        'a purpose of payouts could not propose',
      )
    }
  }
  return [...new Map(proposals.map((proposal) => [proposal.id, proposal])).values()]
}

async function readFreeRetries(
  on: Queryable,
  network: string,
  purposes: readonly PayoutPurpose[],
  max: number,
): Promise<readonly Proposal[]> {
  const retries = await readRetries(on, network, max)
  if (retries.length === 0) return []
  const held = await Promise.all(
    purposes.map(async ({ kinds, heldBack }) => {
      const own = retries.filter(({ intent }) => kinds.includes(intent.kind))
      return [...((await heldBack?.(on, own)) ?? [])]
    }),
  )
  return retries.filter(({ id }) => !held.flat().includes(id))
}

/** Why nothing may be planned just now, whatever it is. */
async function findStandstill({ db, network }: PayoutParts): Promise<Wait | undefined> {
  const progress = (await readProgress(db)).find((chain) => chain.network === network.name)
  if (progress === undefined) return { cause: 'chain-stale', detail: `${network.name} is not followed yet` }
  const lag = progress.headHeight - progress.height
  if (lag > lagBlocksMax || progress.seenSecondsAgo > silentSecondsMax) {
    const detail = `our blocks of ${network.name} are ${lag} behind and ${Math.round(progress.seenSecondsAgo)} s old`
    return { cause: 'chain-stale', detail }
  }
  if (await isSealBehind(db))
    return { cause: 'unsealed', detail: 'journals wait for their seal longer than they should' }
  return undefined
}

interface Priced extends Choice {
  readonly fees: Fees
}

async function plan(
  parts: PayoutParts,
  session: Session,
  proposals: readonly Proposal[],
  price: Omit<Fees, 'gas'>,
  signal: AbortSignal,
): Promise<number> {
  const cursor = required(await readCursor(parts.db, parts.network.name), 'the cursor')
  const wallets = await readWallets(parts, session, proposals, cursor.height, signal)
  const inFlightMax = parts.inFlightMax ?? limits.payoutsPerLane
  const { chosen, waits, shifts } = chooseWallets(
    { coin: coinOf(parts), wallets, price, inFlightMax },
    proposals,
  )
  const shifting = await shiftsToPlan(parts, shifts)
  const { priced, refused } = await estimate(parts, session, [...shifting, ...chosen], price, signal)
  const capital = await readFreeCapital(parts)
  const covered = coveredCount(
    capital,
    priced.map(({ fees }) => maxCostMinor(fees)),
  )
  const uncovered = priced.length > covered ? [lackOfCapital(priced.length - covered, capital)] : []
  const planned = await placeAll(parts, session, priced.slice(0, covered), signal)
  const isSaved = await save(parts, session, planned, refused)
  await noteWaits(parts, session, [...waits, ...uncovered])
  return isSaved ? planned.length + refused.length : 0
}

function lackOfCapital(count: number, capital: bigint): Wait {
  const detail = `the operator's own coin, ${capital} free, does not cover the gas of ${count} payouts`
  return { cause: 'capital', detail }
}

/** One move of an asset between lanes at a time. */
async function shiftsToPlan(parts: PayoutParts, shifts: readonly Shift[]): Promise<readonly Choice[]> {
  const first = new Map(shifts.toReversed().map((shift) => [shift.asset, shift]))
  const choices: Choice[] = []
  for (const { asset, contract, from, to, amountMinor } of first.values()) {
    if (to.place.type !== 'lane' || (await hasOpenShift(parts.db, parts.network.name, asset))) continue
    const { lane } = to.place
    const proposal: Proposal = {
      id: newId(),
      network: parts.network.name,
      intent: { kind: 'rebalance', lane, asset, contract, amountMinor },
      from: from.place,
      spends: { asset, contract, amountMinor },
    }
    choices.push({ proposal, wallet: from })
  }
  return choices
}

interface Refused {
  readonly proposal: Proposal
  readonly reason: string
}

/** Asks the chain, all at once, what each takes; what would fail is refused before anything is signed. */
async function estimate(
  parts: PayoutParts,
  session: Session,
  choices: readonly Choice[],
  price: Omit<Fees, 'gas'>,
  signal: AbortSignal,
): Promise<{ readonly priced: readonly Priced[]; readonly refused: readonly Refused[] }> {
  const own = ownPlaces(parts, session)
  const estimates = await Promise.all(
    choices.map(({ proposal, wallet }) =>
      parts.sender.estimateGas(wallet.address, spendOf(proposal.intent, own), signal),
    ),
  )
  const priced: Priced[] = []
  const refused: Refused[] = []
  for (const [index, choice] of choices.entries()) {
    const { proposal } = choice
    const answer = required(estimates[index], 'an estimate')
    if ('fault' in answer) {
      refused.push({ proposal, reason: answer.fault })
      continue
    }
    const movesToken = (proposal.spends?.contract ?? null) !== null
    const { gas, isAbsurd } = gasFor(proposal.intent.kind, movesToken, answer.gas)
    if (isAbsurd) {
      const fields = { subject: proposal.id, estimate: `${answer.gas}`, gas: `${gas}` }
      raiseAlert(parts, session, 'gas-estimate-absurd', fields, 'a node estimates gas that cannot be')
    }
    priced.push({ ...choice, fees: { ...price, gas } })
  }
  return { priced, refused }
}

/** Gives each its place in its wallet's order. A lane that sent what nobody here knows halts everything. */
async function placeAll(
  parts: PayoutParts,
  session: Session,
  priced: readonly Priced[],
  signal: AbortSignal,
): Promise<readonly NewPayout[]> {
  const { db, network, sender } = parts
  const wallets = [...new Map(priced.map(({ wallet }) => [wallet.address, wallet])).values()]
  const addresses = wallets.map(({ address }) => address)
  const counts = addresses.length === 0 ? [] : await sender.readNonces(addresses, undefined, signal)
  const planned: NewPayout[] = []
  for (const [index, { address, place, nonceEnd }] of wallets.entries()) {
    const mined = counts[index] ?? 0
    if (place.type === 'lane' && mined > nonceEnd) {
      const detail = `${address} sent ${mined} transactions, of which the database and the signer's log know ${nonceEnd}`
      await haltUnderLease(parts, session, 'log-unknown', detail)
      return []
    }
    const own = priced.filter(({ wallet }) => wallet.address === address)
    const nonces = nextNonces(mined, await readTakenNonces(db, network.name, address, mined), own.length)
    for (const [offset, { proposal, fees }] of own.entries()) {
      const { id, intent, spends } = proposal
      const nonce = required(nonces[offset], 'a nonce')
      planned.push({ id, network: network.name, intent, from: place, wallet: address, nonce, fees, spends })
    }
  }
  session.followed = undefined
  return planned
}

/** @returns false where something was taken back since it was proposed: then it is proposed anew without it. */
async function save(
  parts: PayoutParts,
  session: Session,
  planned: readonly NewPayout[],
  refused: readonly Refused[],
): Promise<boolean> {
  if (planned.length + refused.length === 0) return true
  try {
    await store(parts, session, planned, refused)
  } catch (error) {
    if (!(error instanceof NotWantedError)) throw error
    parts.log.info({ reason: error.message }, 'a payout is not wanted any more')
    return false
  }
  for (const { proposal, reason } of refused) {
    parts.log.warn(
      { payout: proposal.id, kind: proposal.intent.kind, reason },
      'a payout would fail and is not made',
    )
  }
  return true
}

async function store(
  { db, purposes }: PayoutParts,
  { lease }: Session,
  planned: readonly NewPayout[],
  refused: readonly Refused[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    const inserted = await insertPayouts(tx, planned)
    const retried = await deleteRefusals(
      tx,
      [...planned, ...refused.map(({ proposal }) => proposal)].map(({ id }) => id),
    )
    await tellPurposes(purposes, tx, [
      ...inserted.flatMap((payout) => (retried.has(payout.id) ? [] : [{ payout, to: 'planned' as const }])),
      ...refused.map(({ proposal, reason }) => ({ proposal, to: 'refused' as const, reason })),
    ])
  })
}

/** Keeps what waits where operators see it, and alerts of what goes on: money that comes in a moment is no matter. */
async function noteWaits(parts: PayoutParts, session: Session, waits: readonly Wait[]): Promise<void> {
  const { db, network } = parts
  const text = JSON.stringify(waits)
  if (text !== session.waits) {
    await inTransaction(db, async (tx) => {
      await assertLease(tx, session.lease)
      await replaceWaits(tx, network.name, waits)
    })
    session.waits = text
  }
  if (waits.length === 0) return
  for (const { cause, detail } of await readLongWaits(db, network.name, limits.payoutsWaitS)) {
    if (cause === 'lanes-full') continue
    raiseAlert(parts, session, 'payouts-wait', { subject: cause, detail }, 'payouts wait')
  }
}
