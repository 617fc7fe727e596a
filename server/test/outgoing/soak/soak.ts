/**
 * The state of a soak of payouts and its moves: merchants, their orders, a chain that grows, and an engine
 * that is killed.
 */
import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import { silentLog } from '../../../src/core/log.ts'
import type { OutgoingSource } from '../../../src/outgoing/engine/outgoing-source.ts'
import { countersignHead } from '../../../src/outgoing/engine/signer-client/countersign-head.ts'
import { withdrawalOutgoingSource } from '../../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { quantity, readTestContract } from '../../support/anvil.ts'
import type { Dice } from '../../support/dice.ts'
import { DiedError, dyingDatabase } from '../../support/dying-database.ts'
import { testOrderVerifier } from '../../support/order-keys.ts'
import type { Engine } from '../../support/outgoing-flow.ts'
import { screeningOff } from '../../support/screening.ts'
import type { TestSigner } from '../../support/signer.ts'
import type { WithdrawalFlow } from '../../support/withdrawal-flow.ts'

/**
 * Maximum number of outgoing transactions in flight. It is small, so that recoveries have few nonces to use
 * up.
 */
export const inFlightMax = 3
/** What a merchant may cost the operator in a day beyond its fees: 0.003 ETH. */
export const gasBudgetMinor = 3n * 10n ** 15n
export const gwei = 10n ** 9n

/**
 * How a merchant behaves, in this order: covered orders of a few dollars, many orders at once, orders larger
 * than any wallet holds, money that cannot be swept, orders to contracts.
 */
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
  /**
   * The number of rounds in which the order was not planned, although the merchant's money covered it and no
   * halt or wait stopped it. Set to 0 when the engine stops, because the next engine counts anew.
   */
  waitedRounds: number
}

export interface Counts {
  kills: number
  recoveries: number
  lossesAccepted: number
  worstRounds: number
  /** Rounds in which any order waited. */
  roundsWaited: number
  /**
   * Number of signed transactions that were neither in a block nor in the mempool when all three parts were
   * restored.
   */
  hiddenBytes: number
  /** Number of signed transactions that a node accepted again. */
  bytesTakenAgain: number
  readonly restores: Map<string, number>
  readonly fates: Map<string, number>
  readonly halts: Map<string, number>
}

export interface Soak {
  readonly flow: WithdrawalFlow
  readonly dice: Dice
  readonly outgoingSource: OutgoingSource
  /** Bytecode of a contract whose storage decides how it behaves. */
  readonly hostileCode: string
  readonly merchants: SoakMerchant[]
  readonly orders: SoakOrder[]
  /** All transactions that were ever signed, as hex bytes by transaction hash. */
  readonly signed: Map<string, string>
  readonly counts: Counts
  /** Share of the started engines that are killed later. */
  killShare: number
  signer: TestSigner
  engine: Engine | undefined
}

export async function openSoak(flow: WithdrawalFlow, dice: Dice): Promise<Soak> {
  const { db, methods } = flow.shop
  const outgoingSource = withdrawalOutgoingSource({
    db,
    methods,
    log: silentLog,
    intentKey: flow.signer.intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
    gasBudgetsMinor: new Map([['ethereum', gasBudgetMinor]]),
  })
  const hostile = await flow.anvil.deploy(await readTestContract('Hostile'), [0n, 0n])
  return {
    flow,
    dice,
    outgoingSource,
    hostileCode: String(await flow.anvil.rpc('eth_getCode', [hostile, 'latest'])),
    merchants: [],
    orders: [],
    signed: new Map(),
    counts: noCounts(),
    killShare: 0.6,
    signer: flow.signer,
    engine: undefined,
  }
}

function noCounts(): Counts {
  return {
    kills: 0,
    recoveries: 0,
    lossesAccepted: 0,
    hiddenBytes: 0,
    bytesTakenAgain: 0,
    worstRounds: 0,
    roundsWaited: 0,
    restores: new Map(),
    fates: new Map(),
    halts: new Map(),
  }
}

export function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/**
 * Mines a block with a base fee of 6 to 12 gwei. A transaction's gas then costs more than its network fee,
 * and stays below every ceiling.
 */
export async function mineBlock({ flow, dice }: Pick<Soak, 'flow' | 'dice'>): Promise<void> {
  await flow.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(BigInt(dice.between(6, 12)) * gwei)])
  await flow.mine()
}

export function pick<T>(dice: Dice, from: readonly T[]): T {
  return required(from[dice.between(0, from.length - 1)], 'something to pick')
}

export function freshAddress(dice: Dice): string {
  const digits = () => dice.between(0, 0xffff_ffff).toString(16).padStart(8, '0')
  return `0x${Array.from({ length: 5 }, digits).join('')}`
}

/** Returns the orders that the database has and that are still pending. */
export async function openOrders({ flow, orders }: Soak): Promise<readonly SoakOrder[]> {
  const rows = await flow.shop.db.query<{ id: string }>(sql`
    select id from withdrawal where state = 'pending'`)
  const open = new Set(rows.map(({ id }) => id))
  return orders.filter(({ id }) => open.has(id))
}

/** Starts an engine if none runs. Some engines are killed a random number of statements later. */
async function startEngine(soak: Soak): Promise<Engine> {
  const { flow, dice, outgoingSource, signer, killShare } = soak
  await flow.endLeases()
  const { db } = flow.database
  const isKilled = dice.chance(killShare)
  const engine = await flow.engine({
    outgoingSources: [outgoingSource],
    signer: signer.signer,
    inFlightMax,
    db: isKilled ? dyingDatabase(db, dice.between(1, 400)) : db,
  })
  soak.engine = engine
  return engine
}

export async function stopEngine(soak: Soak): Promise<void> {
  soak.engine = undefined
  for (const one of soak.orders) one.waitedRounds = 0
  await soak.flow.endLeases()
}

/**
 * Runs one round, and returns whether it finished. A random kill ends the engine, and in some cases the
 * signer.
 */
export async function takeRound(soak: Soak): Promise<boolean> {
  const engine = soak.engine ?? (await startEngine(soak))
  try {
    await engine.round()
    return true
  } catch (error) {
    if (!(error instanceof DiedError)) throw error
    soak.counts.kills += 1
    await stopEngine(soak)
    if (soak.dice.chance(0.3)) soak.signer = await soak.signer.reopen()
    return false
  }
}

/** Has the signer countersign the head of the sealed history, as payouts do every few seconds. */
export async function countersign({ flow, signer }: Soak): Promise<void> {
  const { db } = flow.database
  while ((await countersignHead({ db, log: silentLog, signer: signer.signer })) > 0);
}
