/** Everything that goes on while payouts are soaked: merchants, their orders, a chain that moves, and a machine that is killed. */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import { Problem } from '../../../src/core/errors.ts'
import { newId } from '../../../src/core/ids.ts'
import { silentLog } from '../../../src/core/log.ts'
import { decimal, formatDecimal } from '../../../src/core/money.ts'
import { countersignHead } from '../../../src/payouts/countersign-head.ts'
import type { PayoutPurpose } from '../../../src/payouts/purpose.ts'
import { createWithdrawal } from '../../../src/withdrawals/create-withdrawal.ts'
import { withdrawalPurpose } from '../../../src/withdrawals/withdrawal-purpose.ts'
import { quantity, readTestContract } from '../../support/anvil.ts'
import type { Dice } from '../../support/dice.ts'
import { DiedError, dyingDatabase } from '../../support/dying-database.ts'
import { testOrderVerifier } from '../../support/order-keys.ts'
import type { Machine } from '../../support/payout-flow.ts'
import { screeningOff } from '../../support/screening.ts'
import { makeShop, takePrices } from '../../support/shop.ts'
import type { TestSigner } from '../../support/signer.ts'
import type { WithdrawalFlow } from '../../support/withdrawal-flow.ts'

/** Few, so that recoveries have few nonces to use up. */
export const inFlightMax = 3
/** Beyond its fees a merchant costs the operator no more in a day; 0.003 ETH. */
export const gasBudgetMinor = 3n * 10n ** 15n
const gwei = 10n ** 9n

/** What behaves how: covered orders of a few dollars, many at once, more than any wallet holds, money that cannot be swept, contracts. */
export type MerchantKind = 'small' | 'flood' | 'greedy' | 'soiled' | 'hostile'

export interface SoakMerchant {
  readonly id: string
  readonly kind: MerchantKind
}

export interface SoakOrder {
  readonly id: string
  readonly merchant: SoakMerchant
  readonly isCoin: boolean
  readonly address: string
  readonly netMinor: bigint
  /** Rounds in which it was covered, nothing stood in the way, and it was not planned; since the machine was restored. */
  waitedRounds: number
}

export interface Counts {
  kills: number
  recoveries: number
  lossesAccepted: number
  worstRounds: number
  /** In which anybody waited. */
  roundsWaited: number
  /** Bytes that nothing showed when all three parts went back. */
  hiddenBytes: number
  /** Bytes that a node took again. */
  bytesTakenAgain: number
  readonly restores: Map<string, number>
  readonly fates: Map<string, number>
  readonly halts: Map<string, number>
}

export interface World {
  readonly flow: WithdrawalFlow
  readonly dice: Dice
  readonly purpose: PayoutPurpose
  readonly merchants: SoakMerchant[]
  readonly orders: SoakOrder[]
  /** Bytes by transaction hash, of all that was ever signed. */
  readonly signed: Map<string, string>
  readonly counts: Counts
  /** Of the machines that are started, so many are killed later. */
  killShare: number
  signer: TestSigner
  machine: Machine | undefined
}

export function openWorld(flow: WithdrawalFlow, dice: Dice): World {
  const { db, methods } = flow.shop
  const purpose = withdrawalPurpose({
    ...{ db, methods, log: silentLog, intentKey: flow.signer.intentKey, orders: testOrderVerifier },
    ...{ screening: screeningOff, approvalAboveUsd: undefined, gasBudgetMinor },
  })
  const zero = {
    ...{ kills: 0, recoveries: 0, lossesAccepted: 0, hiddenBytes: 0, bytesTakenAgain: 0 },
    ...{ worstRounds: 0, roundsWaited: 0 },
  }
  return {
    ...{ flow, dice, purpose, merchants: [], orders: [], signed: new Map(), killShare: 0.6 },
    counts: { ...zero, restores: new Map(), fates: new Map(), halts: new Map() },
    ...{ signer: flow.signer, machine: undefined },
  }
}

export function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** A merchant with a final deposit. Its shop is opened anew, as an API is started anew after a restore. */
export async function openSoakMerchant(
  { flow, merchants }: World,
  kind: MerchantKind,
  amount: string,
): Promise<SoakMerchant> {
  const shop = makeShop(flow.database, { usdt: flow.usdt })
  await takePrices(shop)
  const methodId = kind === 'hostile' ? 3 : 1
  // Whoever pays offers what the next block asks for.
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n * gwei)])
  const id = await shop.openMerchant()
  const { address } = await shop.addressFor(await shop.openInvoice(id, { amount: '10', methodId }), methodId)
  if (kind === 'hostile') await flow.anvil.sendCoin({ to: address, amountMinor: decimal(amount, 18) })
  else {
    const amountMinor = decimal(amount, 6)
    await flow.anvil.rpc('anvil_dealERC20', [flow.anvil.accounts[0], flow.usdt, quantity(amountMinor)])
    await flow.anvil.sendToken({ contract: flow.usdt, to: address, amountMinor })
  }
  await flow.mine(5)
  const merchant = { id, kind }
  merchants.push(merchant)
  return merchant
}

/** Its money lies beside dust of a listed sender from now on: it is kept from being swept, and covers no order. */
export async function soil({ flow }: World, merchant: SoakMerchant): Promise<void> {
  const { anvil, usdt, shop } = flow
  const { address } = await shop.row<{ address: string }>(
    sql`select recipient as address from transaction where merchant_id = ${merchant.id}`,
  )
  const listed = required(anvil.accounts[3], 'an account').toLowerCase()
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(10n * gwei)])
  await anvil.rpc('anvil_dealERC20', [listed, usdt, quantity(600_000n)])
  await anvil.sendToken({ contract: usdt, from: listed, to: address, amountMinor: 600_000n })
  await anvil.mine(5)
  await flow.follow({
    screening: {
      screenAll: async (_network, _when, addresses) =>
        new Map(addresses.map((one) => [one, one === listed ? ('listed' as const) : ('passed' as const)])),
    },
  })
}

/** Between 6 and 12 gwei, so that a payout's gas costs more than its network fee, and nothing is too dear. */
export async function mineBlock({ flow, dice }: Pick<World, 'flow' | 'dice'>): Promise<void> {
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(BigInt(dice.between(6, 12)) * gwei)])
  await flow.mine()
}

export interface OrderWish {
  readonly isCoin: boolean
  readonly amount: string
  readonly address?: string
}

/** Nothing where the merchant has not so much any more. */
export async function order(
  world: World,
  merchant: SoakMerchant,
  { isCoin, amount, address = freshAddress() }: OrderWish,
): Promise<void> {
  const { flow, orders } = world
  const id = newId()
  const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
  const wish = { id, merchantId: merchant.id, address, amount, paymentMethodId: isCoin ? 3 : 1 }
  try {
    const { amountMinor, feeMinor } = await createWithdrawal(flow.orders, caller, wish)
    orders.push({ id, merchant, isCoin, address, netMinor: amountMinor - feeMinor, waitedRounds: 0 })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'insufficient-balance') throw error
  }
}

export function freshAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`
}

/** What some merchants order by the dice. */
export async function orderSome(world: World): Promise<void> {
  const { dice, merchants, flow } = world
  const open = await openOrders(world)
  const openOf = (merchant: SoakMerchant) => open.filter((one) => one.merchant === merchant).length
  const dollars = (least: number, most: number) => ({ isCoin: false, amount: `${dice.between(least, most)}` })
  for (const merchant of merchants) {
    const count = openOf(merchant)
    if (merchant.kind === 'small' && count === 0) {
      const former = world.orders.findLast((one) => one.merchant === merchant)
      const isAgain = former !== undefined && dice.chance(0.1)
      await order(world, merchant, { ...dollars(5, 50), ...(isAgain && { address: former.address }) })
    }
    if (merchant.kind === 'flood' && count < 12 && dice.chance(0.5))
      for (let more = 0; more < 12; more += 1) await order(world, merchant, dollars(5, 50))
    if (merchant.kind === 'greedy' && count < 2 && dice.chance(0.3))
      await order(world, merchant, dollars(30_000, 40_000))
  }
  for (const merchant of merchants.filter(({ kind }) => kind === 'hostile').slice(-hostileAtOnce))
    if (openOf(merchant) < 4 && dice.chance(0.7)) await orderToContract(world, merchant)
  await flow.follow()
}

/** Others before them have used up what they may cost. */
const hostileAtOnce = 2

const modes = { takes: 0, refuses: 1, needs: 2, answers: 3, bombs: 4, burns: 5, breaks: 6 } as const
const modeNames = Object.keys(modes) as (keyof typeof modes)[]
const measures = [3_000n, 50_000n, 80_000n, 300_000n]

/** To a contract of its own, which behaves from the start, or only once the order was planned. */
async function orderToContract(world: World, merchant: SoakMerchant): Promise<void> {
  const { dice, flow } = world
  const address = freshAddress()
  await flow.anvil.rpc('anvil_setCode', [address, await hostileCode(flow)])
  await flow.anvil.rpc('anvil_setStorageAt', [address, word(1n), word(pick(dice, measures))])
  await setMode(flow, address, dice.chance(0.6) ? 'takes' : pick(dice, modeNames))
  // 0.002 to 0.006 ETH: less than a failure may cost, or a little more.
  const amount = formatDecimal(BigInt(dice.between(20, 60)) * 10n ** 14n, 18)
  await order(world, merchant, { isCoin: true, amount, address })
}

/** What recipients do changes with the block: some of the contracts to which orders are open behave otherwise from now on. */
async function turnContracts(world: World): Promise<void> {
  const { dice, flow } = world
  for (const { merchant, address } of await openOrders(world))
    if (merchant.kind === 'hostile' && dice.chance(0.3)) await setMode(flow, address, pick(dice, modeNames))
}

async function setMode({ anvil }: WithdrawalFlow, address: string, mode: keyof typeof modes): Promise<void> {
  await anvil.rpc('anvil_setStorageAt', [address, word(0n), word(BigInt(modes[mode]))])
}

let codeOfHostile: string | undefined

async function hostileCode({ anvil }: WithdrawalFlow): Promise<string> {
  if (codeOfHostile === undefined) {
    const address = await anvil.deploy(await readTestContract('Hostile'), [0n, 0n])
    codeOfHostile = String(await anvil.rpc('eth_getCode', [address, 'latest']))
  }
  return codeOfHostile
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

export function pick<T>(dice: Dice, from: readonly T[]): T {
  return required(from[dice.between(0, from.length - 1)], 'something to pick')
}

/** Those that the database has and that did not end. */
async function openOrders({ flow, orders }: World): Promise<readonly SoakOrder[]> {
  const rows = await flow.shop.db.query<{ id: string }>(sql`
    select id from withdrawal where state = 'pending'`)
  const open = new Set(rows.map(({ id }) => id))
  return orders.filter(({ id }) => open.has(id))
}

/** Starts the machine where none runs; by the dice it is killed some statements later. */
async function startMachine(world: World): Promise<Machine> {
  const { flow, dice, purpose, signer, killShare } = world
  await flow.endLeases()
  const { db } = flow.database
  const isKilled = dice.chance(killShare)
  const machine = await flow.machine({
    ...{ purposes: [purpose], signer: signer.signer, inFlightMax },
    ...(isKilled && { db: dyingDatabase(db, dice.between(1, 400)) }),
  })
  world.machine = machine
  return machine
}

export async function stopMachine(world: World): Promise<void> {
  world.machine = undefined
  await world.flow.endLeases()
}

/** One round; whether it was finished. A kill by the dice ends the machine, and the signer in some cases. */
export async function takeRound(world: World): Promise<boolean> {
  const machine = world.machine ?? (await startMachine(world))
  try {
    await machine.round()
    return true
  } catch (error) {
    if (!(error instanceof DiedError)) throw error
    world.counts.kills += 1
    await stopMachine(world)
    if (world.dice.chance(0.3)) world.signer = await world.signer.reopen()
    return false
  }
}

/** The signer countersigns the head of history, as a part of payouts has it do every few seconds. */
export async function countersign({ flow, signer }: World): Promise<void> {
  const { db } = flow.database
  while ((await countersignHead({ db, log: silentLog, signer: signer.signer })) > 0);
}

/**
 * A block, what merchants order, and a round, in which each covered order of a small merchant that is not planned waits one more.
 * @param isMined whether what is in the pool is mined before the round
 */
export async function live(world: World, { isMined = true } = {}): Promise<void> {
  const { dice } = world
  await turnContracts(world)
  if (isMined) await mineBlock(world)
  if (dice.chance(0.7)) await orderSome(world)
  if (dice.chance(0.3)) await countersign(world)
  const waiting = isMined ? await readWaiting(world) : []
  const isFinished = await takeRound(world)
  if (waiting.length > 0 && isFinished && (await isClear(world))) {
    const still = new Set((await readWaiting(world)).map(({ id }) => id))
    for (const one of waiting) if (still.has(one.id)) one.waitedRounds += 1
    world.counts.roundsWaited += 1
    world.counts.worstRounds = Math.max(
      world.counts.worstRounds,
      ...world.orders.map(({ waitedRounds }) => waitedRounds),
    )
  }
}

const calmTurns = 30

/** Nothing is killed or put back for so long that a reservation could come to its end several times. */
export async function liveCalmly(world: World): Promise<void> {
  const { killShare } = world
  world.killShare = 0
  await stopMachine(world)
  for (let turns = 0; turns < calmTurns; turns += 1) await live(world)
  world.killShare = killShare
}

/** Orders of small merchants, whose money is final and lies there, that are not planned. */
async function readWaiting({ flow, orders }: World): Promise<readonly SoakOrder[]> {
  const rows = await flow.shop.db.query<{ id: string }>(sql`
    select id from withdrawal where state = 'pending' and stage in ('queued', 'approved')`)
  const unplanned = new Set(rows.map(({ id }) => id))
  return orders.filter(({ id, merchant }) => merchant.kind === 'small' && unplanned.has(id))
}

/** Whether no halt stands, no recovery is under way, and nothing waits for prices, blocks, seals or the check of the books. */
async function isClear({ flow, machine }: World): Promise<boolean> {
  const [found] = await flow.shop.db.query<{ count: number }>(sql`
    select (select count(*) from payout_recovery)::int + (select count(*) from payout_wait
      where cause in ('recovery', 'chain-stale', 'unsealed', 'books-unchecked', 'price', 'capital'))::int as count`)
  return found?.count === 0 && machine?.memory.isCompared === true
}
