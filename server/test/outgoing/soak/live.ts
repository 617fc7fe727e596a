/** Payouts in normal operation. Counts the rounds that each order waits. */
import sql from 'sql-template-tag'
import { switchContracts } from './hostile-contracts.ts'
import { orderSome } from './merchants.ts'
import { countersign, mineBlock, type Soak, type SoakOrder, stopEngine, takeRound } from './soak.ts'

/**
 * Mines a block, lets merchants order, and runs a round. Then counts one more round for each order that still
 * waits: a small merchant's order that is not planned, although the money for it is final and swept.
 * @param isMined whether the mempool is mined before the round
 */
export async function live(soak: Soak, { isMined = true } = {}): Promise<void> {
  const { dice } = soak
  await switchContracts(soak)
  if (isMined) {
    await mineBlock(soak)
    await refill(soak)
  }
  if (dice.chance(0.7)) await orderSome(soak)
  if (dice.chance(0.3)) await countersign(soak)
  const waiting = isMined ? await readWaiting(soak) : []
  const isFinished = await takeRound(soak)
  if (waiting.length > 0 && isFinished && (await isClear(soak))) {
    const still = new Set((await readWaiting(soak)).map(({ id }) => id))
    for (const one of waiting) if (still.has(one.id)) one.waitedRounds += 1
    soak.counts.roundsWaited += 1
    soak.counts.worstRounds = Math.max(
      soak.counts.worstRounds,
      ...soak.orders.map(({ waitedRounds }) => waitedRounds),
    )
  }
}

/** The target amount of tokens in each hot wallet, less than an order of a greedy merchant. */
const hotWalletTokensMinor = 20_000_000_000n
const hotWalletTokensLeastMinor = 5_000_000_000n

/**
 * Keeps the hot wallets funded. An empty hot wallet would delay every order, which is not a fault of the
 * engine.
 */
export async function refill({ flow, signer }: Soak): Promise<void> {
  const held = await Promise.all(signer.keys.hotWallets.map((hotWallet) => flow.held(hotWallet, flow.usdt)))
  if (held.some((minor) => minor < hotWalletTokensLeastMinor || minor > hotWalletTokensMinor))
    await flow.setTokens(hotWalletTokensMinor, hotWalletTokensMinor)
}

const calmRounds = 30

/** Runs without kills or restores for long enough that a reservation can expire several times. */
export async function liveCalmly(soak: Soak): Promise<void> {
  const { killShare } = soak
  soak.killShare = 0
  await stopEngine(soak)
  for (let rounds = 0; rounds < calmRounds; rounds += 1) await live(soak)
  soak.killShare = killShare
}

/** Returns the unplanned orders of small merchants whose money is final and swept. */
async function readWaiting({ flow, orders }: Soak): Promise<readonly SoakOrder[]> {
  const rows = await flow.shop.db.query<{ id: string }>(sql`
    select id from withdrawal where state = 'pending' and stage in ('queued', 'approved')`)
  const unplanned = new Set(rows.map(({ id }) => id))
  return orders.filter(({ id, merchant }) => merchant.kind === 'small' && unplanned.has(id))
}

/**
 * Decides whether no halt is active, no recovery is running, and nothing waits for prices, blocks, seals or
 * the check of the books.
 */
async function isClear({ flow, engine }: Soak): Promise<boolean> {
  const [found] = await flow.shop.db.query<{ count: number }>(sql`
    select (select count(*) from outgoing_recovery)::int + (select count(*) from outgoing_wait
      where cause in ('recovery', 'chain-stale', 'unsealed', 'books-unchecked', 'price', 'capital'))::int as count`)
  return found?.count === 0 && engine?.memory.isCompared === true
}
