/**
 * Compares two runs of a seed that differ only in the ids of the merchants. In these runs, each move is
 * complete before the next begins. The balance of a merchant may depend only on actions of the merchant and
 * its payers. It may not depend on the merchant's id or on its position among the merchants.
 */
import type { DatabaseServer } from './database-server.ts'
import { Dice } from './dice.ts'
import type { Features } from './features.ts'
import { keyOf } from './model/check.ts'
import { type Move, type MoveKind, play } from './moves.ts'
import { readAnswers } from './run/answers.ts'
import { prepare } from './run/prepare.ts'
import { comeToRest } from './run/rest.ts'
import { runEverything } from './run/work.ts'
import { Installation } from './world/installation.ts'

const every = 50

const first = 7

/**
 * Returns whether to make this comparison for a seed. It is made for few seeds, because both runs together
 * take several times as long as a normal run.
 */
export function isPermuted(seed: number): boolean {
  return seed % every === first
}

/** Returns one sentence for each outcome that differs between the two runs, and for each error. */
export async function findUnfair(server: DatabaseServer, seed: number): Promise<readonly string[]> {
  const one = await playQuietly(server, seed, [0, 1, 2])
  const other = await playQuietly(server, seed, [2, 0, 1])
  return [...one.errors, ...other.errors, ...compareOutcomes(one.outcome, other.outcome)]
}

/** Returns what differs between the outcomes of two runs, also where one has more than the other. */
export function compareOutcomes(one: readonly string[], other: readonly string[]): readonly string[] {
  const longer = one.length < other.length ? other : one
  return longer.flatMap((_, index) => {
    const outcome = one[index] ?? 'nothing'
    const permuted = other[index] ?? 'nothing'
    return outcome === permuted ? [] : [`${outcome}, and with other ids of the merchants: ${permuted}`]
  })
}

interface QuietRun {
  readonly outcome: readonly string[]
  /** Errors that no process expects. */
  readonly errors: readonly string[]
}

const plain: Features = {
  networks: { evm: ['ethereum', 'base'], utxo: undefined },
  hasHostileRecipients: true,
  hasListedSenders: false,
  isRestored: false,
  hasWrongClocks: false,
  hasWebhooks: false,
  hasTreasury: false,
  hasPrices: false,
  hasDebts: false,
  hasSmallPayments: false,
  hasWrongNetworks: true,
  hasListedFailures: false,
  hasLastMoments: false,
  hasKeys: false,
  hasAccess: false,
  nodes: 1,
  approvalAboveUsd: undefined,
  attack: undefined,
}

const weights = {
  'create an invoice': 4,
  'pay an invoice': 6,
  'pay on the wrong network': 3,
  'order a withdrawal': 6,
  'cancel a withdrawal': 1,
  'mine a block': 5,
  'let time pass': 3,
  'change the price of gas': 1,
} satisfies Partial<Record<MoveKind, number>>

const moveCount = 16

/**
 * Makes the moves one after the other. All effects of a move are complete before the next move begins.
 * @param order for each merchant, the position of its id when the merchants' ids are sorted
 */
async function playQuietly(
  server: DatabaseServer,
  seed: number,
  order: readonly number[],
): Promise<QuietRun> {
  const world = await Installation.open({ server, seed, features: plain })
  try {
    await prepare(world, order)
    orderShown(world)
    const dice = new Dice(seed ^ 0x9e37)
    for (let count = 0; count < moveCount; count += 1) {
      const move: Move = { kind: dice.weighted(weights), seed: dice.seed(), steps: 0 }
      await play(world, move)
      await runEverything(world)
      await world.pass(1)
    }
    await comeToRest(world, dice)
    return { outcome: await describeOutcome(world), errors: world.errors }
  } finally {
    await world.close()
  }
}

/**
 * Sorts the addresses of the first invoices by merchant and payment method. These invoices are created at the
 * same time, so their order differs between the runs.
 */
function orderShown({ model: { merchants, shown } }: Installation): void {
  shown.sort(
    (a, b) => merchants.indexOf(a.merchantId) - merchants.indexOf(b.merchantId) || a.methodId - b.methodId,
  )
}

/** Describes the balances of each merchant and the state of each order at the end. */
async function describeOutcome(world: Installation): Promise<readonly string[]> {
  const { balances, held, orders } = await readAnswers(world)
  const { model, assets } = world
  const purses = model.merchants.flatMap((merchantId, index) =>
    assets.map((asset) => {
      const key = keyOf(merchantId, asset)
      return `merchant ${index + 1} has ${balances.get(key)} ${asset.name} and ${held.get(key)} held`
    }),
  )
  const ends = model.orders.map(({ id, amountMinor, asset }, index) => {
    return `order ${index + 1} of ${amountMinor} ${asset.name} is ${orders.get(id)}`
  })
  return [...purses, ...ends]
}
