/** Payouts as they go on from day to day, with count of who waits for how long. */
import sql from 'sql-template-tag'
import { turnContracts } from './hostile-contracts.ts'
import { orderSome } from './merchants.ts'
import { countersign, mineBlock, type SoakOrder, stopMachine, takeRound, type World } from './world.ts'

/**
 * A block, what merchants order, and a round, in which each covered order of a small merchant that is not planned waits one more.
 * @param isMined whether what is in the pool is mined before the round
 */
export async function live(world: World, { isMined = true } = {}): Promise<void> {
  const { dice } = world
  await turnContracts(world)
  if (isMined) {
    await mineBlock(world)
    await refill(world)
  }
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

/** Of a lane, less than an order of a greedy merchant. */
const laneTokensMinor = 20_000_000_000n
const laneTokensLeastMinor = 5_000_000_000n

/** What covers orders lies in the hot wallets: one that is dry keeps everybody waiting, and that is nobody's fault. */
export async function refill({ flow, signer }: World): Promise<void> {
  const held = await Promise.all(signer.keys.lanes.map((lane) => flow.held(lane, flow.usdt)))
  if (held.some((minor) => minor < laneTokensLeastMinor || minor > laneTokensMinor))
    await flow.setTokens(laneTokensMinor, laneTokensMinor)
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
