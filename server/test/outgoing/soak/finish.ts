/** The end of a soak: nothing more is ordered or killed, the wallets have what is asked of them, and all that can leave does. */
import sql from 'sql-template-tag'
import { resend } from './episode.ts'
import { countersign, mineBlock, stopMachine, takeRound, type World } from './world.ts'

const tokensMinor = 10n ** 12n
const blocksMax = 400
const settlingBlocks = 6

export async function finish(world: World): Promise<void> {
  const { flow } = world
  world.killShare = 0
  await stopMachine(world)
  await flow.setTokens(tokensMinor, tokensMinor)
  for (let blocks = 0; blocks < blocksMax && (await countUnderWay(world)) > 0; blocks += 1) await step(world)
  // Whoever kept any bytes sends them all: those that were ever signed, of every past.
  await resend(world, world.signed)
  for (let blocks = 0; blocks < settlingBlocks; blocks += 1) await step(world)
}

async function step(world: World): Promise<void> {
  await mineBlock(world)
  await countersign(world)
  await takeRound(world)
}

/** Orders and payouts that can still come to an end by themselves. */
async function countUnderWay({ flow }: World): Promise<number> {
  const { count } = await flow.shop.row<{ count: number }>(sql`
    select (select count(*) from withdrawal where state = 'pending'
              and waits_for is distinct from 'gas-budget' and waits_for is distinct from 'funds')::int
         + (select count(*) from payout where state not in ('final', 'displaced'))::int as count`)
  return count
}
