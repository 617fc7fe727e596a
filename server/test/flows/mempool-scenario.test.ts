/**
 * Tests a payment's life in any order: seen, evicted, replaced, mined, dropped and mined again. Its final
 * status depends only on the chain and the mempool, not on what happened before.
 */
import { expect, it } from 'vitest'
import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { required } from '../../src/core/assert.ts'
import { confirmationsAt, seenIn } from '../../src/payments/deposits/deposit.ts'
import { resumeDeposits } from '../../src/payments/deposits/pause-deposits.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { OpenInvoice } from '../support/chain-flow.ts'
import { type Dice, diceOf } from '../support/dice.ts'
import { useFakeFlow } from '../support/fake-flow.ts'
import { depositsOf } from '../support/shop-readers.ts'

const flow = useFakeFlow()
const { chain } = flow
/** The number of confirmations on the development chain. */
const confirmations = 2
const steps = 40

interface Pair {
  readonly invoice: OpenInvoice
  readonly payment: FakeTransaction
  /** A transaction that spends the same outpoint to another recipient. */
  readonly rival: FakeTransaction
}

async function makePair(): Promise<Pair> {
  const invoice = await flow.openInvoice()
  const payment = flow.payment(invoice)
  const elsewhere = { address: chain.newAddress(), amountMinor: 5n }
  const rival = flow.payment(elsewhere, { spends: required(payment.spends, 'what it spends') })
  return { invoice, payment, rival }
}

/** Returns the height at which each transaction is mined. */
function minedAt(): ReadonlyMap<string, number> {
  const heights = new Map<string, number>()
  for (let height = 0; height <= chain.head.height; height += 1) {
    for (const { hash } of required(chain.blockAt(height), 'block').transactions) heights.set(hash, height)
  }
  return heights
}

function isFree({ payment, rival }: Pair): boolean {
  const mined = minedAt()
  return !mined.has(payment.hash) && !mined.has(rival.hash)
}

async function takeStep(dice: Dice, pairs: readonly Pair[]): Promise<string> {
  const pair = required(pairs[dice.between(0, pairs.length - 1)], 'a pair')
  const one = dice.chance(0.6) ? pair.payment : pair.rival
  const act = dice.between(0, 6)
  if (act === 0 && isFree(pair)) chain.waiting.submit(one)
  if (act === 1) chain.waiting.evict(one.hash)
  if (act === 2) chain.mine(isFree(pair) ? [one] : [], new Date())
  if (act === 3) chain.mine([], new Date())
  if (act === 4) chain.rollback(Math.min(dice.between(1, 4), chain.head.height - 1))
  if (act === 5) await flow.follow()
  if (act === 6) await flow.pollNew()
  return `${['submit', 'evict', 'mine', 'mine none', 'drop', 'follow', 'look'][act]} ${pairs.indexOf(pair)}${one === pair.rival ? ' rival' : ''}`
}

/** Mines and follows until the books have reached the chain's head and no deposits are paused. */
async function catchUp(): Promise<void> {
  for (let block = 0; block < 10; block += 1) chain.mine([], new Date())
  await flow.follow()
  await inTransaction(flow.shop.db, (tx) => resumeDeposits(tx, 'ethereum', { reason: 'a test' }))
  chain.mine([], new Date())
}

/** Returns the status of a payment, or undefined if no watcher has seen it. */
async function statusNow({ invoice }: Pair) {
  const [payment] = await depositsOf(flow.shop, invoice)
  if (payment === undefined) return undefined
  const { state, blockHeight, replacedHeight } = payment
  return { state, seenIn: seenIn(payment), blockHeight, replacedHeight }
}

function statusByChain({ payment, rival }: Pair) {
  const mined = minedAt()
  const blockHeight = mined.get(payment.hash)
  const replacedHeight = mined.get(rival.hash)
  const isDeep = (height: number) => confirmationsAt(chain.head.height, height) >= confirmations
  const where = { blockHeight, replacedHeight }
  if (blockHeight !== undefined)
    return { state: isDeep(blockHeight) ? 'confirmed' : 'pending', seenIn: 'block', ...where }
  const isLost = replacedHeight !== undefined && isDeep(replacedHeight)
  const isWaiting = chain.waiting.find(payment.hash) !== undefined
  return { state: isLost ? 'failed' : 'pending', seenIn: isWaiting ? 'mempool' : 'nowhere', ...where }
}

/**
 * The first seed once found a fault. A payment is polled in the mempool, then mined, and then waits again,
 * because its block is dropped. No poll runs between these changes.
 */
const seeds = [289_618_949, ...Array.from({ length: 3 }, () => Math.floor(Math.random() * 2 ** 31))]

it.each(seeds)(
  'a payment’s status follows from chain and mempool, whatever happened before (seed %i)',
  async (seed) => {
    const dice = diceOf(seed)
    const pairs = await Promise.all(Array.from({ length: 3 }, makePair))
    const story: string[] = []
    for (let step = 0; step < steps; step += 1) story.push(await takeStep(dice, pairs))
    await catchUp()
    // A payment in the last block is not confirmed yet.
    const [last] = pairs
    if (last !== undefined && isFree(last))
      chain.mine([dice.chance(0.5) ? last.payment : last.rival], new Date())
    await flow.follow()
    await flow.pollNew()
    for (const pair of pairs) {
      const now = await statusNow(pair)
      if (now !== undefined) expect(now, story.join(', ')).toEqual(statusByChain(pair))
    }
    expect(await flow.findViolations(), story.join(', ')).toEqual([])
  },
)
