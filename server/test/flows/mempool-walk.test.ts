/**
 * A payment's life in any order: seen, evicted, replaced, mined, dropped and mined again. What it is afterwards follows from
 * the chain and the mempool alone, whatever came before.
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
import { transactionsOf } from '../support/shop-sight.ts'

const flow = useFakeFlow()
const { chain } = flow
/** The dev chain's. */
const confirmations = 2
const steps = 40

interface Pair {
  readonly invoice: OpenInvoice
  readonly payment: FakeTransaction
  /** Spends the same, to somebody else. */
  readonly rival: FakeTransaction
}

async function makePair(): Promise<Pair> {
  const invoice = await flow.openInvoice()
  const payment = flow.payment(invoice)
  const elsewhere = { address: chain.newAddress(), amountMinor: 5n }
  const rival = flow.payment(elsewhere, { spends: required(payment.spends, 'what it spends') })
  return { invoice, payment, rival }
}

/** At which height each transaction is mined. */
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
  if (act === 6) await flow.lookOn()
  return `${['submit', 'evict', 'mine', 'mine none', 'drop', 'follow', 'look'][act]} ${pairs.indexOf(pair)}${one === pair.rival ? ' rival' : ''}`
}

/** Until the books are where the chain is, and nothing is paused. */
async function catchUp(): Promise<void> {
  for (let block = 0; block < 10; block += 1) chain.mine([], new Date())
  await flow.follow()
  await inTransaction(flow.shop.db, (tx) => resumeDeposits(tx, 'ethereum', { reason: 'a test' }))
  chain.mine([], new Date())
}

/** Undefined for one that nobody has seen. */
async function standingNow({ invoice }: Pair) {
  const [payment] = await transactionsOf(flow.shop, invoice)
  if (payment === undefined) return undefined
  const { state, blockHeight, replacedHeight } = payment
  return { state, seenIn: seenIn(payment), blockHeight, replacedHeight }
}

function standingByChain({ payment, rival }: Pair) {
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

/** The first one takes back a block with a payment that was looked at while it waited, and is not looked at in between. */
const seeds = [289_618_949, ...Array.from({ length: 3 }, () => Math.floor(Math.random() * 2 ** 31))]

it.each(seeds)(
  'a payment stands as chain and mempool are, whatever happened before (seed %i)',
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
    await flow.lookOn()
    for (const pair of pairs) {
      const now = await standingNow(pair)
      if (now !== undefined) expect(now, story.join(', ')).toEqual(standingByChain(pair))
    }
    expect(await flow.findBreaches(), story.join(', ')).toEqual([])
  },
)
