/**
 * One order stops nobody (A4): whatever other merchants order, an order whose money is in the hot wallets is planned within 20
 * rounds. Orders come in the turn that `readApproved` gives them, which is repeated here without a database.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { type Lines, linesAt, noLines } from '../../src/outgoing/engine/controls/lines.ts'
import type { Proposal } from '../../src/outgoing/engine/purpose.ts'
import { chooseWallets, type Shift, type Wallet } from '../../src/outgoing/evm/choose-wallets.ts'
import { type CoinGround, chooseCoins } from '../../src/outgoing/utxo/choose-coins.ts'

const coin = 'ethereum/ETH'
const token = 'ethereum/USDT'
const contract = `0x${'11'.repeat(20)}`
const roundsAtMost = 20

interface Order {
  readonly id: string
  readonly merchant: number
  readonly minor: bigint
  /** Whether its merchant's money is in the hot wallets. */
  readonly hasArrived: boolean
  readonly madeAt: number
}

/** As `readApproved` sorts, of one asset; `plannedAt` is when something of a merchant was last planned. */
function inTurn(orders: readonly Order[], plannedAt: ReadonlyMap<number, number>): readonly Order[] {
  const byAge = orders.toSorted((a, b) => a.madeAt - b.madeAt)
  const placeOf = (order: Order) => byAge.filter((one) => one.merchant === order.merchant).indexOf(order)
  const turnOf = ({ madeAt, merchant }: Order) => Math.max(madeAt, plannedAt.get(merchant) ?? -1)
  return byAge
    .map((order) => ({ order, place: placeOf(order), turn: turnOf(order) }))
    .toSorted(
      (a, b) =>
        Number(b.order.hasArrived) - Number(a.order.hasArrived) || a.place - b.place || a.turn - b.turn,
    )
    .map(({ order }) => order)
    .slice(0, limits.payoutsPlannedAtOnce / 4)
}

/** What others order in a round, and what comes in. */
interface Move {
  readonly orders: readonly {
    readonly merchant: number
    readonly minor: bigint
    readonly hasArrived: boolean
  }[]
  readonly sweptMinor: bigint
}

const victim = 0
const merchant = fc.integer({ min: 1, max: 12 })
const anyMoves = fc.array(
  fc.record({
    orders: fc.array(fc.record({ merchant, minor: fc.bigInt(1n, 2_000n), hasArrived: fc.boolean() }), {
      maxLength: 6,
    }),
    sweptMinor: fc.oneof(fc.constant(0n), fc.bigInt(0n, 200n)),
  }),
  { minLength: roundsAtMost, maxLength: roundsAtMost },
)

class Queue {
  readonly plannedAt = new Map<number, number>()
  #waiting: readonly Order[] = []
  #made = 0

  add(order: Omit<Order, 'id' | 'madeAt'>, at: number): string {
    this.#made += 1
    const id = `${this.#made}`
    this.#waiting = [...this.#waiting, { ...order, id, madeAt: at + this.#made / 1_000_000 }]
    return id
  }

  inTurn(): readonly Order[] {
    return inTurn(this.#waiting, this.plannedAt)
  }

  planned(ids: ReadonlySet<string>, at: number): void {
    for (const { id, merchant: of } of this.#waiting) if (ids.has(id)) this.plannedAt.set(of, at + 0.9)
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id))
  }
}

describe('A4 an order whose money is in the hot wallets', () => {
  const anyWorld = fc.record({
    /** Older orders of others that wait: those whose money arrived can all be paid beside the victim's. */
    older: fc.array(fc.record({ merchant, minor: fc.bigInt(1n, 400n), hasArrived: fc.boolean() }), {
      maxLength: 4,
    }),
    victimMinor: fc.bigInt(1n, 400n),
    split: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 3 }),
    /** Rounds that others play before the victim orders. */
    before: fc.integer({ min: 0, max: roundsAtMost - 1 }),
    moves: anyMoves,
  })

  /** While the asset yields, others order in turn what the victim's order needs moved between two lanes. */
  const drained = {
    older: [],
    victimMinor: 27n,
    split: [0, 0],
    before: 12,
    moves: Array.from({ length: roundsAtMost }, (_, at) => ({
      orders: [
        ...(at === 0 ? [{ merchant: 1, minor: 1n, hasArrived: true }] : []),
        ...(at === 2 ? [{ merchant: 1, minor: 26n, hasArrived: true }] : []),
        ...(at === 11 ? [{ merchant: 2, minor: 2n, hasArrived: true }] : []),
      ],
      sweptMinor: at === 8 ? 1n : 0n,
    })),
  }

  it('is planned within 20 rounds where senders count their transactions', () => {
    fc.assert(
      fc.property(anyWorld, ({ older, victimMinor, split, before, moves }) => {
        const queue = new Queue()
        const lanes = split.map(() => 0n)
        let lines: Lines = noLines
        let shift: Shift | undefined
        const round = (at: number, { orders, sweptMinor }: Move): ReadonlySet<string> => {
          for (const order of orders) queue.add(order, at)
          lanes[at % lanes.length] = (lanes[at % lanes.length] ?? 0n) + sweptMinor
          if (shift !== undefined) {
            const to = Number(shift.to.address)
            lanes[to] = (lanes[to] ?? 0n) + shift.amountMinor
          }
          const wallets = lanes.map(laneOf)
          lines = linesAt(lines, `${at}`, limits.reservedRounds)
          const price = { maxFeeMinor: 1n, tipMinor: 1n }
          const ground = { coin, wallets, price, inFlightMax: limits.payoutsPerLane, lines }
          const choices = chooseWallets(ground, queue.inTurn().map(payment))
          lines = choices.lines
          for (const { proposal, wallet } of choices.chosen) {
            const lane = Number(wallet.address)
            lanes[lane] = (lanes[lane] ?? 0n) - (proposal.spends?.amountMinor ?? 0n)
          }
          shift = choices.shifts[0]
          if (shift !== undefined) {
            const from = Number(shift.from.address)
            lanes[from] = (lanes[from] ?? 0n) - shift.amountMinor
          }
          // Nobody takes what is moved away.
          expect(lanes.filter((minor) => minor < 0n)).toEqual([])
          const ids = new Set(choices.chosen.map(({ proposal }) => proposal.id))
          queue.planned(ids, at)
          return ids
        }
        // Before, others ordered what no lane will ever hold, though the books say that it arrived.
        for (const [at, { orders, sweptMinor }] of moves.slice(0, before).entries()) {
          const stuck = orders.map((order) => ({ ...order, minor: order.minor + 1_000_000n }))
          round(at - before, { orders: stuck, sweptMinor })
        }
        // What is needed for all else whose money arrived lies there, in whichever lanes.
        for (const order of older) queue.add(order, 0)
        const arrived = older.filter(({ hasArrived }) => hasArrived)
        const neededMinor = arrived.reduce((sum, { minor }) => sum + minor, victimMinor)
        deal(lanes, split, neededMinor)
        const id = queue.add({ merchant: victim, minor: victimMinor, hasArrived: true }, 0)
        const planned = moves.findIndex((move, at) => round(at, move).has(id))
        expect(planned).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 300, examples: [[drained]] },
    )
  })

  it('is planned within 20 rounds where money lies in outputs', () => {
    fc.assert(
      fc.property(anyWorld, ({ older, victimMinor, split, before, moves }) => {
        const queue = new Queue()
        let lines: Lines = noLines
        let coins: readonly bigint[] = []
        let change: readonly bigint[] = []
        const round = (at: number, { orders, sweptMinor }: Move): ReadonlySet<string> => {
          for (const order of orders) queue.add({ ...order, hasArrived: true }, at)
          coins = [...coins, ...change, ...(sweptMinor > 0n ? [sweptMinor * unit] : [])]
          lines = linesAt(lines, `${at}`, limits.reservedRoundsOfCoins)
          const ground = { ...outputs(coins), lines }
          const choices = chooseCoins(ground, queue.inTurn().map(coinPayment))
          lines = choices.lines
          const spent = choices.chosen.flatMap(({ inputs }) => inputs.map(({ outpoint }) => outpoint))
          const isSpent = new Set(spent)
          // What comes back is spent again once it is mined.
          change = choices.chosen.map(
            ({ inputs, payments, fees }) =>
              inputs.reduce((sum, { amountMinor }) => sum + amountMinor, 0n) -
              payments.reduce((sum, { netMinor }) => sum + netMinor, 0n) -
              fees.tipMinor,
          )
          coins = coins.filter((_, index) => !isSpent.has(`${index}:0`))
          const ids = new Set(choices.chosen.flatMap(({ proposals }) => proposals.map((one) => one.id)))
          queue.planned(ids, at)
          return ids
        }
        // Before, others ordered what no outputs will ever pay, as if theirs could not be spent any more.
        for (const [at, { orders, sweptMinor }] of moves.slice(0, before).entries()) {
          const stuck = orders.map((order) => ({ ...order, minor: order.minor + 1_000_000n }))
          round(at - before, { orders: stuck, sweptMinor })
        }
        for (const order of older) queue.add({ ...order, hasArrived: true }, 0)
        const neededMinor = older.reduce((sum, { minor }) => sum + minor, victimMinor)
        coins = [...coins, ...split.map((part) => (BigInt(part + 1) * neededMinor + 1n) * unit)]
        const id = queue.add({ merchant: victim, minor: victimMinor, hasArrived: true }, 0)
        const planned = moves.findIndex((move, at) => round(at, move).has(id))
        expect(planned).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 100 },
    )
  })
})

function laneOf(tokenMinor: bigint, number: number): Wallet {
  return {
    place: { type: 'lane', lane: number },
    address: `${number}`,
    inFlight: 0,
    nonceEnd: 0,
    freeMinor: new Map([
      [coin, 10n ** 18n],
      [token, tokenMinor],
    ]),
  }
}

/** Makes lanes hold so much together, if they do not already, in given shares. */
function deal(lanes: bigint[], split: readonly number[], neededMinor: bigint): void {
  const heldMinor = lanes.reduce((sum, minor) => sum + minor, 0n)
  const shares = split.reduce((sum, part) => sum + part + 1, 0)
  const lackMinor = neededMinor - heldMinor
  if (lackMinor <= 0n) return
  let left = lackMinor
  for (const [index, part] of split.entries()) {
    const isLast = index === split.length - 1
    const minor = isLast ? left : (lackMinor * BigInt(part + 1)) / BigInt(shares)
    lanes[index] = (lanes[index] ?? 0n) + minor
    left -= minor
  }
}

function payment({ id, minor }: Order): Proposal {
  const intent = { kind: 'withdrawal' as const, payments: [] }
  return { id, network: 'ethereum', intent, spends: { asset: token, contract, amountMinor: minor } }
}

/** Amounts of outputs far above what spending them costs. */
const unit = 1_000_000n

function coinPayment({ id, minor }: Order): Proposal {
  const about = { withdrawalId: id, merchantId: 'm', asset: 'litecoin/LTC', contract: null, address: 'a' }
  const signed = { invoiceId: null, orderSignature: '', mac: '00' }
  const payments = [{ ...about, ...signed, netMinor: minor * unit, feeMinor: 0n }]
  return { id, network: 'litecoin', intent: { kind: 'withdrawal', payments }, spends: undefined }
}

function outputs(coinsMinor: readonly bigint[]): CoinGround {
  return {
    coin: 'litecoin/LTC',
    drafts: { inputWeight: 272, emptyWeight: 50, outputWeight: () => 124 },
    changeWeight: 124,
    feeRate: 10_000n,
    capitalMinor: 10n ** 12n,
    chain: { dustMinor: 5_460n, usualFeeRate: 10_000n },
    hasMore: false,
    alone: [],
    coins: coinsMinor.map((amountMinor, index) => ({
      outpoint: `${index}:0`,
      amountMinor,
      place: { type: 'hot', branch: 1, index },
    })),
  }
}
