/** Spends the coins that forgotten bytes could still spend to ourselves, so that these can never be mined. */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { newId } from '../../../core/ids.ts'
import { limits } from '../../../core/limits.ts'
import { lockOwnMoney } from '../../../ledger/lock-own-money.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { findKnown } from '../../engine/attempt-store.ts'
import { readFreeCapital } from '../../engine/controls/read-capital.ts'
import { coinOf, raiseAlert } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { maxCostMinor } from '../../engine/payout.ts'
import type { Wait } from '../../engine/placing.ts'
import { NotWantedError, type Proposal } from '../../engine/purpose.ts'
import { insertPayouts, type NewPayout } from '../../engine/store.ts'
import { openChangePlaces } from '../change-places.ts'
import { type CoinChoice, type CoinGround, gatherCoins, without, worthwhile } from '../choose-coins.ts'
import { type CoinParts, trustedAt } from '../coin-parts.ts'
import { liftPurpose } from '../coin-purposes.ts'
import { dear, isWorthIts, newConsolidation, toPayout, wantedBlocks, wholeRate } from '../plan-coins.ts'
import { planLifts } from '../plan-lifts.ts'
import { keepCoins } from '../reserve-coins.ts'
import { totalOf } from '../shape.ts'
import { shownCoins } from '../shown-coins.ts'
import {
  type AsideReason,
  type ExposedCoin,
  findRestingRefusal,
  insertRespends,
  readExposed,
  setAside,
} from './exposed-coin-store.ts'
import { findWaitingSpenders } from './waiting-spenders.ts'

export interface Respending {
  readonly done: number
  /** Coins that are neither respent nor set aside yet, nor spoken for. */
  readonly left: number
  readonly waits: readonly Wait[]
}

/**
 * Blocks in which what waits in a mempool may still be mined, and pay whom it was to pay, before its coins are respent at a higher
 * price.
 */
const graceBlocks = 6
/** Transactions that are planned in one step. */
const plannedPerStep = 20

/**
 * Plans what can be planned now.
 * @param until the block up to which coins were there when forgotten bytes were signed
 */
export async function respendCoins(
  parts: CoinParts,
  memory: MachineMemory,
  { until, cursor }: { readonly until: number; readonly cursor: Cursor },
  signal: AbortSignal,
): Promise<Respending> {
  const { db, network, drafts } = parts
  const at = trustedAt(parts, cursor)
  const bounds = { until, needsMakers: drafts.needsMakers, max: limits.coinsPerPlan }
  const exposed = await readExposed(db, network.name, at, bounds)
  // What could not be shown to the signer was never signed either.
  const free = exposed.filter(
    ({ isSpokenFor, makerBytes }) => !isSpokenFor && makerBytes <= limits.makerBytesMax,
  )
  const barred = free.filter((coin) => coin.height <= at.finalHeight && !coin.maySpend)
  if (barred.length > 0) await keepAside(parts, memory, barred, 'books')
  const due = free.filter(({ maySpend, isShown }) => maySpend && isShown)
  const stuck = network.chain.canReplace
    ? []
    : await liftPurpose.propose(db, network.name, limits.payoutsPlannedAtOnce)
  const left = free.length - barred.length
  if (due.length + stuck.length === 0)
    return { done: barred.length, left, waits: left > 0 ? [youngOf(left)] : [] }
  const refusal = await findRestingRefusal(db, network.name)
  if (refusal !== undefined) return { done: barred.length, left, waits: [refusedBy(refusal)] }
  const feeRate = wholeRate((await parts.sender.readFeeRate(wantedBlocks, signal)).rateMinor)
  if (feeRate > network.chain.feeRateMax) return { done: barred.length, left, waits: [dear(feeRate)] }
  // Where nodes replace nothing they would refuse what respends its coins.
  const isGrace = !network.chain.canReplace || cursor.height < until + graceBlocks
  const waiting = isGrace ? await findWaiting(parts, due, signal) : new Map<string, string>()
  const ready = due.filter(({ outpoint }) => !waiting.has(outpoint))
  const plan = await planRespends(parts, memory, { coins: ready, stuck, feeRate })
  if (plan.small.length > 0) await keepAside(parts, memory, plan.small, 'small')
  const stored = await store(parts, memory, plan.planned)
  return {
    done: barred.length + plan.small.length + stored,
    left: left - plan.small.length,
    waits: [...plan.waits, ...waitsOf(waiting)],
  }
}

interface Plan {
  readonly planned: readonly NewPayout[]
  /** Not worth their fee. */
  readonly small: readonly ExposedCoin[]
  readonly waits: readonly Wait[]
}

async function planRespends(
  parts: CoinParts,
  memory: MachineMemory,
  {
    coins,
    stuck,
    feeRate,
  }: {
    readonly coins: readonly ExposedCoin[]
    readonly stuck: readonly Proposal[]
    readonly feeRate: bigint
  },
): Promise<Plan> {
  const { network, drafts } = parts
  const places = await openChangePlaces(parts, memory)
  const capitalMinor = await readFreeCapital(parts)
  const ground: CoinGround = {
    coin: coinOf(parts),
    chain: network.chain,
    drafts,
    changeWeight: places.weight,
    feeRate,
    coins: [],
    hasMore: false,
    alone: [],
    capitalMinor,
  }
  const lifts = await planLifts(parts, stuck, { ground, places })
  const worth = new Set(worthwhile({ drafts, feeRate, coins }))
  const batches = batchesOf(coins.filter((coin) => worth.has(coin)))
  const small = coins.filter((coin) => !worth.has(coin))
  const planned = [...lifts.planned]
  let left = { ...ground, capitalMinor: capitalMinor - lifts.costMinor }
  for (const batch of batches.slice(0, plannedPerStep)) {
    const choice = gatherBatch(left, network.name, batch)
    if (choice === undefined) {
      small.push(...batch)
      continue
    }
    const lacksMinor = maxCostMinor(choice.fees) - left.capitalMinor
    if (lacksMinor > 0n) return { planned, small, waits: [...lifts.waits, capitalLacks(parts, lacksMinor)] }
    planned.push(toPayout(parts, choice, places))
    left = without(left, choice)
  }
  return { planned, small, waits: lifts.waits }
}

/**
 * Few coins each, so that many are left to pay with at once. Those that the signer keeps for a payout that was displaced go
 * with no others, and where what made them goes to the signer they go as that allows.
 */
function batchesOf(coins: readonly ExposedCoin[]): readonly (readonly ExposedCoin[])[] {
  const owners = [...new Set(coins.map(({ former }) => former))]
  return owners.flatMap((owner) => {
    const own = coins.filter(({ former }) => former === owner)
    const byOutpoint = new Map(own.map((coin) => [coin.outpoint, coin]))
    const { together, alone } = shownCoins(own)
    const first = together.flatMap(({ outpoint }) => byOutpoint.get(outpoint) ?? [])
    const single = alone.filter((coin) => !together.includes(coin))
    const batches: (readonly ExposedCoin[])[] = []
    for (let start = 0; start < first.length; start += limits.coinsRespentTogether)
      batches.push(first.slice(start, start + limits.coinsRespentTogether))
    return [
      ...batches,
      ...single.map(({ outpoint }) => [byOutpoint.get(outpoint)].flatMap((one) => one ?? [])),
    ]
  })
}

/** Undefined where the batch is not worth its fee, whoever pays that. */
function gatherBatch(
  ground: CoinGround,
  network: string,
  batch: readonly ExposedCoin[],
): CoinChoice | undefined {
  const former = batch[0]?.former
  const proposal: Proposal =
    former === undefined
      ? newConsolidation(network)
      : { id: newId(), network, intent: { kind: 'reclaim', payoutId: former }, spends: undefined }
  // What is worth its fee costs less than it spends: whether the operator's own coin pays that is another question.
  const anyCapital = { ...ground, coins: batch, capitalMinor: totalOf(batch) }
  const choice = gatherCoins(anyCapital, proposal, { least: 1, most: batch.length })
  return choice !== undefined && isWorthIts(choice) ? choice : undefined
}

/** @returns how many were planned; none where a coin went elsewhere since it was looked at */
async function store(
  parts: CoinParts,
  memory: MachineMemory,
  planned: readonly NewPayout[],
): Promise<number> {
  const { db, network, log } = parts
  if (planned.length === 0) return 0
  try {
    await inTransaction(db, async (tx) => {
      await assertLease(tx, memory.lease)
      await insertPayouts(tx, planned)
      await keepCoins(parts, tx, planned)
      await insertRespends(
        tx,
        network.name,
        planned.map(({ id }) => id),
      )
      await lockOwnMoney(tx, coinOf(parts))
      if ((await readFreeCapital({ db: tx, network })) < 0n)
        throw new NotWantedError("the operator's own coin went elsewhere while respends were planned")
    })
    return planned.length
  } catch (error) {
    if (!(error instanceof NotWantedError)) throw error
    log.info(
      { network: network.name, reason: error.message },
      'coins are looked at again before they are respent',
    )
    return 0
  }
}

/** They pay for nothing from now on: operators are told. */
async function keepAside(
  parts: CoinParts,
  memory: MachineMemory,
  coins: readonly ExposedCoin[],
  reason: AsideReason,
): Promise<void> {
  const { db, network } = parts
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await setAside(tx, network.name, coins, reason)
  })
  const fields = { subject: reason, coins: coins.length, heldMinor: `${totalOf(coins)}` }
  raiseAlert(
    parts,
    memory,
    'coins-set-aside',
    fields,
    'coins that forgotten transactions may spend are set aside',
  )
}

/** Transactions that nobody here knows of, and that wait in a mempool, by the coins that they spend. */
async function findWaiting(
  { db, network, sender }: CoinParts,
  coins: readonly ExposedCoin[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const waiting = await findWaitingSpenders(sender, coins, signal)
  const known = await findKnown(db, network.name, [...waiting.values()])
  return new Map([...waiting].filter(([, txHash]) => !known.has(txHash)))
}

function waitsOf(waiting: ReadonlyMap<string, string>): readonly Wait[] {
  const [first] = waiting.values()
  if (first === undefined) return []
  const detail = `${first} waits in a mempool, spends a coin of ours and is unknown here: its coins are respent once it is dropped, or once nodes may replace it`
  return [{ cause: 'recovery-mempool', detail }]
}

function youngOf(count: number): Wait {
  return {
    cause: 'recovery-coins',
    detail: `${count} coins cannot be respent yet: what made them is not final, or no node shows it`,
  }
}

function refusedBy(detail: string): Wait {
  return { cause: 'recovery-refused', detail: `the signer refused to respend coins: ${detail}` }
}

function capitalLacks(parts: CoinParts, lacksMinor: bigint): Wait {
  const detail = `the operator's own coin lacks ${lacksMinor} of ${coinOf(parts)} for the fees of respending: send coin and say that it is capital`
  return { cause: 'capital', detail }
}
