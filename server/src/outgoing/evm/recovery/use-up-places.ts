/** Fills the nonces that forgotten bytes could still take, so that these can never be mined. */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { required } from '../../../core/assert.ts'
import { newId } from '../../../core/ids.ts'
import { lockOwnMoney } from '../../../ledger/lock-own-money.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { Intent } from '../../../signing/intent.ts'
import { readFreeCapital } from '../../engine/controls/read-capital.ts'
import { coinOf } from '../../engine/machine.ts'
import type { MachineMemory } from '../../engine/machine-memory.ts'
import { type Fees, maxCostMinor } from '../../engine/payout.ts'
import type { Wait } from '../../engine/placing.ts'
import { insertPayouts, type NewPayout } from '../../engine/store.ts'
import { readSpent, readTakenNonces } from '../../engine/wallet-store.ts'
import { type AccountParts, ownPlaces } from '../account-parts.ts'
import { fillerIntent } from '../fill-gap.ts'
import { gasFor, priceFor, pricePolicy } from '../price-gas.ts'
import { spendOf } from '../spend-of.ts'
import { inFlightMaxOf } from './compare-nonces.ts'
import { noncesToFill } from './nonces-to-fill.ts'

export interface UsedLane {
  readonly lane: number
  readonly wallet: string
  readonly target: number
}

interface Filling {
  readonly done: number
  readonly waits: readonly Wait[]
}

/** Plans the smallest payments to ourselves for the free nonces, as far as each lane and the operator's own coin pay for them. */
export async function useUpPlaces(
  parts: AccountParts,
  memory: MachineMemory,
  lanes: readonly UsedLane[],
  cursor: Cursor,
  signal: AbortSignal,
): Promise<Filling> {
  const { db, network, sender, chain } = parts
  if (lanes.length === 0) return { done: 0, waits: [] }
  const wallets = lanes.map(({ wallet }) => wallet)
  const latest = await sender.readNonces(wallets, undefined, signal)
  const wanted = await Promise.all(
    lanes.map(async ({ wallet, target }, index) => {
      const from = required(latest[index], 'a nonce')
      const taken = await readTakenNonces(db, network.name, wallet, from)
      return noncesToFill(from, target, taken, inFlightMaxOf(parts))
    }),
  )
  if (wanted.every((nonces) => nonces.length === 0)) return { done: 0, waits: [] }
  const price = priceFor(await sender.readFees(signal), parts.policy ?? pricePolicy)
  if (price === undefined)
    return {
      done: 0,
      waits: [{ cause: 'price', detail: 'the network asks for more than the ceiling for gas' }],
    }
  const held = await chain.readBalances({ type: 'coin' }, wallets, cursor.height, signal)
  const spent = await readSpent(db, network.name, coinOf(parts), wallets, cursor.height)
  const planned: NewPayout[] = []
  const waits: Wait[] = []
  for (const [index, lane] of lanes.entries()) {
    const nonces = wanted[index] ?? []
    if (nonces.length === 0) continue
    const fees = { ...price, gas: await gasOf(parts, memory, lane, signal) }
    const costMinor = maxCostMinor(fees) + 1n
    const freeMinor = (held[index] ?? 0n) - (spent.get(`${lane.wallet} ${coinOf(parts)}`) ?? 0n)
    const affordable = nonces.filter((_, count) => costMinor * BigInt(count + 1) <= freeMinor)
    if (affordable.length < nonces.length)
      waits.push(lackOf(parts, lane, costMinor, nonces.length, freeMinor))
    for (const nonce of affordable) planned.push(fillerOf(parts, memory, lane, nonce, fees))
  }
  const stored = await store(parts, memory, planned)
  if (stored < planned.length) waits.push({ cause: 'capital', detail: capitalLacks(planned.length - stored) })
  return { done: stored, waits }
}

async function gasOf(
  parts: AccountParts,
  memory: MachineMemory,
  lane: UsedLane,
  signal: AbortSignal,
): Promise<bigint> {
  const intent = intentFrom(parts, memory, lane)
  const spend = spendOf(intent, ownPlaces(parts, memory))
  const answer = await parts.sender.estimateGas(lane.wallet, spend, signal)
  const offer = gasFor({ intent, spends: undefined }, 'gas' in answer ? answer.gas : 21_000n)
  // A transfer between our own wallets never takes as much: a place that stays open is what must not be.
  return offer.type === 'enough' ? offer.gas : offer.mostGas
}

function intentFrom(parts: AccountParts, { lanes }: MachineMemory, { lane }: UsedLane): Intent {
  return fillerIntent(coinOf(parts), lane, lanes.length)
}

function fillerOf(
  parts: AccountParts,
  memory: MachineMemory,
  lane: UsedLane,
  nonce: number,
  fees: Fees,
): NewPayout {
  return {
    id: newId(),
    network: parts.network.name,
    intent: intentFrom(parts, memory, lane),
    from: { type: 'lane', lane: lane.lane },
    wallet: lane.wallet,
    nonce,
    fees,
    spends: { asset: coinOf(parts), contract: null, amountMinor: 1n },
  }
}

/** Merchants' money pays for no gas, of recoveries neither. @returns how many the operator's own coin covers */
function store(parts: AccountParts, memory: MachineMemory, planned: readonly NewPayout[]): Promise<number> {
  return inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await lockOwnMoney(tx, coinOf(parts))
    let leftMinor = await readFreeCapital({ ...parts, db: tx })
    const covered = planned.filter(({ fees }) => {
      leftMinor -= maxCostMinor(fees)
      return leftMinor >= 0n
    })
    if (covered.length > 0) await insertPayouts(tx, covered)
    return covered.length
  })
}

function lackOf(
  parts: AccountParts,
  { wallet }: UsedLane,
  costMinor: bigint,
  count: number,
  freeMinor: bigint,
): Wait {
  const coin = coinOf(parts)
  const detail = `${wallet} has ${freeMinor} of ${coin} free, and ${costMinor * BigInt(count)} are needed to use up ${count} nonces: send coin to it`
  return { cause: `funds:${coin}`, detail }
}

function capitalLacks(count: number): string {
  return `the operator's own coin does not cover the gas that uses up ${count} nonces: send coin and say that it is capital`
}
