/** Everything that goes on while payouts are soaked: merchants, their orders, a chain that moves, and a machine that is killed. */
import sql from 'sql-template-tag'
import { required } from '../../../src/core/assert.ts'
import { silentLog } from '../../../src/core/log.ts'
import type { PayoutPurpose } from '../../../src/outgoing/engine/purpose.ts'
import { countersignHead } from '../../../src/outgoing/engine/signer-client/countersign-head.ts'
import { withdrawalPurpose } from '../../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import { quantity, readTestContract } from '../../support/anvil.ts'
import type { Dice } from '../../support/dice.ts'
import { DiedError, dyingDatabase } from '../../support/dying-database.ts'
import { testOrderVerifier } from '../../support/order-keys.ts'
import type { Machine } from '../../support/payout-flow.ts'
import { screeningOff } from '../../support/screening.ts'
import type { TestSigner } from '../../support/signer.ts'
import type { WithdrawalFlow } from '../../support/withdrawal-flow.ts'

/** Few, so that recoveries have few nonces to use up. */
export const inFlightMax = 3
/** Beyond its fees a merchant costs the operator no more in a day; 0.003 ETH. */
export const gasBudgetMinor = 3n * 10n ** 15n
export const gwei = 10n ** 9n

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
  /**
   * Rounds in which it was covered, nothing stood in the way, and it was not planned; of this machine alone, since the next one
   * begins anew with who waits for how long.
   */
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
  /** Of a contract that does as its storage says, in bytes. */
  readonly hostileCode: string
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

export async function openWorld(flow: WithdrawalFlow, dice: Dice): Promise<World> {
  const { db, methods } = flow.shop
  const purpose = withdrawalPurpose({
    db,
    methods,
    log: silentLog,
    intentKey: flow.signer.intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
    gasBudgetMinor,
  })
  const hostile = await flow.anvil.deploy(await readTestContract('Hostile'), [0n, 0n])
  return {
    flow,
    dice,
    purpose,
    hostileCode: String(await flow.anvil.rpc('eth_getCode', [hostile, 'latest'])),
    merchants: [],
    orders: [],
    signed: new Map(),
    counts: noCounts(),
    killShare: 0.6,
    signer: flow.signer,
    machine: undefined,
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

/** Between 6 and 12 gwei, so that a payout's gas costs more than its network fee, and nothing is too dear. */
export async function mineBlock({ flow, dice }: Pick<World, 'flow' | 'dice'>): Promise<void> {
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

/** Those that the database has and that did not end. */
export async function openOrders({ flow, orders }: World): Promise<readonly SoakOrder[]> {
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
    purposes: [purpose],
    signer: signer.signer,
    inFlightMax,
    db: isKilled ? dyingDatabase(db, dice.between(1, 400)) : db,
  })
  world.machine = machine
  return machine
}

export async function stopMachine(world: World): Promise<void> {
  world.machine = undefined
  for (const one of world.orders) one.waitedRounds = 0
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
