import { beforeAll, expect, it } from 'vitest'
import type { Transfer } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { Problem } from '../../src/core/errors.ts'
import { formatDecimal, min } from '../../src/core/money.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { type Dice, diceOf } from '../support/dice.ts'
import { useShop } from '../support/shop.ts'
import { openTill, type Till } from './till.ts'

/** WITHDRAWALS_SEED repeats a run. Without it, each run draws its own seed. */
const seed = Number(process.env['WITHDRAWALS_SEED'] ?? Date.now() % 2 ** 31)
const merchants = 4
const stepsPerMerchant = 60

const shop = useShop(useDatabase())
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

it(`D02 the books agree with a simple model, whatever is paid in, ordered, cancelled, sent and reversed (WITHDRAWALS_SEED=${seed})`, async () => {
  const dice = diceOf(seed)
  for (let round = 0; round < merchants; round++) {
    const model = new Model(await openTill(shop, blocks))
    for (let step = 0; step < stepsPerMerchant; step++) {
      const what = await model.step(dice)
      expect(await model.till.balances(), `${what}, step ${step} of merchant ${round}`).toEqual(
        model.balances,
      )
    }
    await expectSoundBooks(shop)
  }
}, 120_000)

interface Order {
  readonly id: string
  readonly amountMinor: bigint
  isSent: boolean
}

interface Deposit {
  readonly payment: Transfer
  readonly netMinor: bigint
}

/** A model of one merchant's money as three numbers. */
class Model {
  readonly till: Till
  #available = 0n
  #owed = 0n
  /** Oldest first. */
  #orders: Order[] = []
  #deposits: Deposit[] = []
  #dropped: Deposit[] = []

  constructor(till: Till) {
    this.till = till
  }

  get balances() {
    const held = this.#orders.reduce((total, { amountMinor }) => total + amountMinor, 0n)
    return { available: this.#available, held, receivable: this.#owed }
  }

  /** Does one random step in the model and in the books, and returns its description. */
  async step(dice: Dice): Promise<string> {
    const things = [
      () => this.#deposit(dice),
      () => this.#order(dice),
      () => this.#order(dice),
      () => this.#undo(dice),
      () => this.#depositAgain(dice),
      () => this.#send(dice),
      () => this.#cancel(dice),
      () => this.#settle(dice, dice.chance(0.6) ? 'completed' : 'failed'),
    ]
    return required(things[dice.between(0, things.length - 1)], 'a thing to do')()
  }

  async #deposit(dice: Dice): Promise<string> {
    const amountMinor = BigInt(dice.between(1_000_000, 50_000_000))
    const payment = await this.till.deposit(amountMinor)
    const feeMinor = (amountMinor + 99n) / 100n + 100_000n
    const deposit = { payment, netMinor: amountMinor - feeMinor }
    this.#deposits.push(deposit)
    this.#credit(deposit.netMinor)
    return `deposit ${amountMinor}`
  }

  async #depositAgain(dice: Dice): Promise<string> {
    const [deposit] = this.#dropped.splice(dice.between(0, this.#dropped.length), 1)
    if (deposit === undefined) return 'nothing to mine again'
    await this.till.depositAgain(deposit.payment)
    this.#deposits.push(deposit)
    this.#credit(deposit.netMinor)
    return `mine ${deposit.netMinor} again`
  }

  async #order(dice: Dice): Promise<string> {
    const amountMinor = BigInt(dice.between(1_000_000, 20_000_000))
    const expected = this.#rejectionOf(amountMinor)
    const answer = await this.till.withdraw(formatDecimal(amountMinor, 6)).catch((error: unknown) => {
      if (error instanceof Problem) return error
      throw error
    })
    expect(typeof answer === 'string' ? undefined : answer.code).toBe(expected)
    if (typeof answer === 'string') {
      this.#available -= amountMinor
      this.#orders.push({ id: answer, amountMinor, isSent: false })
    }
    return `order ${amountMinor}: ${expected ?? 'taken'}`
  }

  #rejectionOf(amountMinor: bigint): string | undefined {
    if (amountMinor > this.#available) return 'insufficient-balance'
    return this.#owed > 0n ? 'payouts-frozen' : undefined
  }

  async #send(dice: Dice): Promise<string> {
    const order = this.#pick(dice)
    if (order === undefined) return 'nothing to send'
    await this.till.send(order.id)
    order.isSent = true
    return `send ${order.amountMinor}`
  }

  async #cancel(dice: Dice): Promise<string> {
    const order = this.#pick(dice)
    if (order === undefined) return 'nothing to cancel'
    if (order.isSent) {
      await expect(this.till.cancel(order.id)).rejects.toMatchObject({ code: 'withdrawal-under-way' })
      return 'cancel too late'
    }
    await this.till.cancel(order.id)
    this.#end(order)
    this.#credit(order.amountMinor)
    return `cancel ${order.amountMinor}`
  }

  async #settle(dice: Dice, outcome: 'completed' | 'failed'): Promise<string> {
    const order = this.#pick(dice)
    if (order === undefined) return 'nothing to settle'
    if (!order.isSent) await this.till.send(order.id)
    await this.till.settle(order.id, outcome)
    this.#end(order)
    if (outcome === 'failed') this.#credit(order.amountMinor)
    return `${order.amountMinor} ${outcome}`
  }

  async #undo(dice: Dice): Promise<string> {
    const count = Math.min(dice.between(1, 3), this.#deposits.length)
    if (count === 0) return 'nothing to undo'
    await this.till.undo(count)
    const undone = this.#deposits.splice(-count)
    this.#dropped.push(...undone)
    for (const { netMinor } of undone) this.#available -= netMinor
    for (const order of this.#orders.filter(({ isSent }) => !isSent).toReversed()) {
      if (this.#available >= 0n) break
      this.#end(order)
      this.#available += order.amountMinor
    }
    if (this.#available < 0n) {
      this.#owed -= this.#available
      this.#available = 0n
    }
    this.#credit(0n)
    return `undo ${count}`
  }

  #credit(amountMinor: bigint): void {
    this.#available += amountMinor
    const repaid = min(this.#available, this.#owed)
    this.#available -= repaid
    this.#owed -= repaid
  }

  #pick(dice: Dice): Order | undefined {
    return this.#orders.length === 0 ? undefined : this.#orders[dice.between(0, this.#orders.length - 1)]
  }

  #end(order: Order): void {
    this.#orders = this.#orders.filter((one) => one !== order)
  }
}
