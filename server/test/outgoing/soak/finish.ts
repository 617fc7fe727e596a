/**
 * The end of a soak. Nothing more is ordered or killed, the wallets hold enough for all orders, and all
 * orders that can be paid are paid.
 */
import sql from 'sql-template-tag'
import { resend } from './episode.ts'
import { countersign, mineBlock, type Soak, stopEngine, takeRound } from './soak.ts'

const tokensMinor = 10n ** 12n
const blocksMax = 400
const settlingBlocks = 6

export async function finish(soak: Soak): Promise<void> {
  const { flow } = soak
  soak.killShare = 0
  await stopEngine(soak)
  await flow.setTokens(tokensMinor, tokensMinor)
  for (let blocks = 0; blocks < blocksMax && (await countUnderWay(soak)) > 0; blocks += 1) await step(soak)
  // Sends all transactions that were ever signed, also those that a restore made the database forget, as
  // anybody who has kept them can.
  await resend(soak, soak.signed)
  for (let blocks = 0; blocks < settlingBlocks; blocks += 1) await step(soak)
}

async function step(soak: Soak): Promise<void> {
  await mineBlock(soak)
  await countersign(soak)
  await takeRound(soak)
}

/** Counts the orders and outgoing transactions that can still end by themselves. */
async function countUnderWay({ flow }: Soak): Promise<number> {
  const { count } = await flow.shop.row<{ count: number }>(sql`
    select (select count(*) from withdrawal where state = 'pending'
              and waits_for is distinct from 'gas-budget' and waits_for is distinct from 'funds')::int
         + (select count(*) from outgoing_transaction where state not in ('final', 'conflicted'))::int as count`)
  return count
}
