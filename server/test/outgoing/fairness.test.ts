/**
 * Tests the fault case A4: one order cannot block others. An order whose money is in the hot wallets is
 * planned within 20 rounds, whatever other merchants order. `Queue` sorts orders as `readApproved` does, but
 * without a database.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { noQueues, type PaymentQueues, queuesAt } from '../../src/outgoing/engine/controls/payment-queues.ts'
import type { Proposal } from '../../src/outgoing/engine/outgoing-source.ts'
import { chooseWallets, type Rebalance, type Wallet } from '../../src/outgoing/evm/choose-wallets.ts'
import { chooseInputs, type UtxoPlanContext } from '../../src/outgoing/utxo/choose-inputs.ts'

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

/**
 * Sorts the orders of one asset as `readApproved` does.
 * @param plannedAt the round in which an order of each merchant was last planned
 */
function inOrder(orders: readonly Order[], plannedAt: ReadonlyMap<number, number>): readonly Order[] {
  const byAge = orders.toSorted((a, b) => a.madeAt - b.madeAt)
  const queueIndexOf = (order: Order) => byAge.filter((one) => one.merchant === order.merchant).indexOf(order)
  const sinceOf = ({ madeAt, merchant }: Order) => Math.max(madeAt, plannedAt.get(merchant) ?? -1)
  return byAge
    .map((order) => ({ order, queueIndex: queueIndexOf(order), since: sinceOf(order) }))
    .toSorted(
      (a, b) =>
        Number(b.order.hasArrived) - Number(a.order.hasArrived) ||
        a.queueIndex - b.queueIndex ||
        a.since - b.since,
    )
    .map(({ order }) => order)
    .slice(0, limits.outgoingPlannedAtOnce / 4)
}

/** The orders of other merchants in one round, and the amount that a sweep brings in. */
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

  inOrder(): readonly Order[] {
    return inOrder(this.#waiting, this.plannedAt)
  }

  planned(ids: ReadonlySet<string>, at: number): void {
    for (const { id, merchant: of } of this.#waiting) if (ids.has(id)) this.plannedAt.set(of, at + 0.9)
    this.#waiting = this.#waiting.filter(({ id }) => !ids.has(id))
  }
}

describe('A4 an order whose money is in the hot wallets', () => {
  const anyScenario = fc.record({
    /**
     * Older orders of other merchants that still wait. Those whose money has arrived can all be paid together
     * with the victim's order.
     */
    older: fc.array(fc.record({ merchant, minor: fc.bigInt(1n, 400n), hasArrived: fc.boolean() }), {
      maxLength: 4,
    }),
    victimMinor: fc.bigInt(1n, 400n),
    split: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 3 }),
    /** Number of rounds before the victim orders. Only other merchants order in these rounds. */
    before: fc.integer({ min: 0, max: roundsAtMost - 1 }),
    moves: anyMoves,
  })

  /**
   * A fixed example. The victim's order needs money that must first be moved between two hot wallets.
   * Meanwhile, other merchants place orders that would spend that money.
   */
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

  it('is planned within 20 rounds on a chain with nonces', () => {
    fc.assert(
      fc.property(anyScenario, ({ older, victimMinor, split, before, moves }) => {
        const queue = new Queue()
        const hotWallets = split.map(() => 0n)
        let queues: PaymentQueues = noQueues
        let rebalance: Rebalance | undefined
        const round = (at: number, { orders, sweptMinor }: Move): ReadonlySet<string> => {
          for (const order of orders) queue.add(order, at)
          hotWallets[at % hotWallets.length] = (hotWallets[at % hotWallets.length] ?? 0n) + sweptMinor
          if (rebalance !== undefined) {
            const to = Number(rebalance.to.address)
            hotWallets[to] = (hotWallets[to] ?? 0n) + rebalance.amountMinor
          }
          const wallets = hotWallets.map(hotWalletOf)
          queues = queuesAt(queues, `${at}`, limits.reservedRounds)
          const price = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
          const context = { coin, wallets, price, inFlightMax: limits.outgoingPerHotWallet, queues }
          const choices = chooseWallets(context, queue.inOrder().map(payment))
          queues = choices.queues
          for (const { proposal, wallet } of choices.chosen) {
            const hotWallet = Number(wallet.address)
            hotWallets[hotWallet] = (hotWallets[hotWallet] ?? 0n) - (proposal.spends?.amountMinor ?? 0n)
          }
          rebalance = choices.rebalances[0]
          if (rebalance !== undefined) {
            const from = Number(rebalance.from.address)
            hotWallets[from] = (hotWallets[from] ?? 0n) - rebalance.amountMinor
          }
          // No choice may spend money that a rebalance of the same round moves away.
          expect(hotWallets.filter((minor) => minor < 0n)).toEqual([])
          const ids = new Set(choices.chosen.map(({ proposal }) => proposal.id))
          queue.planned(ids, at)
          return ids
        }
        // Before the victim orders, other merchants order more than any hot wallet will ever hold, although
        // the books say that their money has arrived.
        for (const [at, { orders, sweptMinor }] of moves.slice(0, before).entries()) {
          const stuck = orders.map((order) => ({ ...order, minor: order.minor + 1_000_000n }))
          round(at - before, { orders: stuck, sweptMinor })
        }
        // Together the hot wallets hold what all arrived orders and the victim need, in any distribution.
        for (const order of older) queue.add(order, 0)
        const arrived = older.filter(({ hasArrived }) => hasArrived)
        const neededMinor = arrived.reduce((sum, { minor }) => sum + minor, victimMinor)
        deal(hotWallets, split, neededMinor)
        const id = queue.add({ merchant: victim, minor: victimMinor, hasArrived: true }, 0)
        const planned = moves.findIndex((move, at) => round(at, move).has(id))
        expect(planned).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 300, examples: [[drained]] },
    )
  })

  it('is planned within 20 rounds on a chain with UTXOs', () => {
    fc.assert(
      fc.property(anyScenario, ({ older, victimMinor, split, before, moves }) => {
        const queue = new Queue()
        let queues: PaymentQueues = noQueues
        let utxos: readonly bigint[] = []
        let change: readonly bigint[] = []
        const round = (at: number, { orders, sweptMinor }: Move): ReadonlySet<string> => {
          for (const order of orders) queue.add({ ...order, hasArrived: true }, at)
          utxos = [...utxos, ...change, ...(sweptMinor > 0n ? [sweptMinor * unit] : [])]
          queues = queuesAt(queues, `${at}`, limits.reservedRoundsOfUtxos)
          const context = { ...outputs(utxos), queues }
          const choices = chooseInputs(context, queue.inOrder().map(coinPayment))
          queues = choices.queues
          const spent = choices.chosen.flatMap(({ inputs }) => inputs.map(({ outpoint }) => outpoint))
          const isSpent = new Set(spent)
          // Change can be spent again once it is mined.
          change = choices.chosen.map(
            ({ inputs, payments, fees }) =>
              inputs.reduce((sum, { amountMinor }) => sum + amountMinor, 0n) -
              payments.reduce((sum, { netMinor }) => sum + netMinor, 0n) -
              fees.fee,
          )
          utxos = utxos.filter((_, index) => !isSpent.has(`${index}:0`))
          const ids = new Set(choices.chosen.flatMap(({ proposals }) => proposals.map((one) => one.id)))
          queue.planned(ids, at)
          return ids
        }
        // Before the victim orders, other merchants order more than any outputs will ever pay, as if their
        // money had become unspendable.
        for (const [at, { orders, sweptMinor }] of moves.slice(0, before).entries()) {
          const stuck = orders.map((order) => ({ ...order, minor: order.minor + 1_000_000n }))
          round(at - before, { orders: stuck, sweptMinor })
        }
        for (const order of older) queue.add({ ...order, hasArrived: true }, 0)
        const neededMinor = older.reduce((sum, { minor }) => sum + minor, victimMinor)
        utxos = [...utxos, ...split.map((part) => (BigInt(part + 1) * neededMinor + 1n) * unit)]
        const id = queue.add({ merchant: victim, minor: victimMinor, hasArrived: true }, 0)
        const planned = moves.findIndex((move, at) => round(at, move).has(id))
        expect(planned).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 100 },
    )
  })
})

function hotWalletOf(tokenMinor: bigint, number: number): Wallet {
  return {
    keyPath: { type: 'hotWallet', hotWallet: number },
    address: `${number}`,
    inFlight: 0,
    nonceEnd: 0,
    freeMinor: new Map([
      [coin, 10n ** 18n],
      [token, tokenMinor],
    ]),
  }
}

/** Tops up the hot wallets, in the given shares, until together they hold the needed amount. */
function deal(hotWallets: bigint[], split: readonly number[], neededMinor: bigint): void {
  const heldMinor = hotWallets.reduce((sum, minor) => sum + minor, 0n)
  const shares = split.reduce((sum, part) => sum + part + 1, 0)
  const lackMinor = neededMinor - heldMinor
  if (lackMinor <= 0n) return
  let left = lackMinor
  for (const [index, part] of split.entries()) {
    const isLast = index === split.length - 1
    const minor = isLast ? left : (lackMinor * BigInt(part + 1)) / BigInt(shares)
    hotWallets[index] = (hotWallets[index] ?? 0n) + minor
    left -= minor
  }
}

function payment({ id, minor }: Order): Proposal {
  const intent = { kind: 'withdrawal' as const, payments: [] }
  return { id, network: 'ethereum', intent, spends: { asset: token, contract, amountMinor: minor } }
}

/** One unit of amount, far above the fee for spending an output. */
const unit = 1_000_000n

function coinPayment({ id, minor }: Order): Proposal {
  const about = { withdrawalId: id, merchantId: 'm', asset: 'litecoin/LTC', contract: null, address: 'a' }
  const signed = { invoiceId: null, orderSignature: '', mac: '00' }
  const payments = [{ ...about, ...signed, netMinor: minor * unit, feeMinor: 0n }]
  return { id, network: 'litecoin', intent: { kind: 'withdrawal', payments }, spends: undefined }
}

function outputs(utxosMinor: readonly bigint[]): UtxoPlanContext {
  return {
    coin: 'litecoin/LTC',
    drafts: { inputWeight: 272, emptyWeight: 50, outputWeight: () => 124 },
    changeWeight: 124,
    feeRate: 10_000n,
    capitalMinor: 10n ** 12n,
    chain: { dustMinor: 5_460n, usualFeeRate: 10_000n },
    hasMore: false,
    alone: [],
    utxos: utxosMinor.map((amountMinor, index) => ({
      outpoint: `${index}:0`,
      amountMinor,
      keyPath: { type: 'hot', branch: 1, index },
    })),
  }
}
