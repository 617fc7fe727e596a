import { holdCursor } from '../../chains/blocks/store.ts'
import { required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { NotWantedError } from '../engine/purpose.ts'
import { deleteRested } from '../engine/retries/refusal-store.ts'
import type { NewPayout } from '../engine/store.ts'
import { type CoinParts, trustedAt } from './coin-parts.ts'
import { holdSpendable, insertHotPlaces, reserveCoins } from './coin-store.ts'

/**
 * Speaks for the coins of payouts and has their change watched, before anything is signed that pays it. What was chosen is
 * looked at again: blocks may have come and gone since, and with them what is known of who paid.
 * @throws NotWantedError where a coin may not be spent any more, or it or a place for change went to another
 */
export async function keepCoins(parts: CoinParts, tx: Tx, planned: readonly NewPayout[]): Promise<void> {
  if (planned.length === 0) return
  const { name: network } = parts.network
  await deleteRested(tx, network)
  // The change of what a lift lifts is in no block yet.
  const mined = planned.filter(({ intent }) => intent.kind !== 'lift')
  const outpoints = mined.flatMap(({ coins }) => coins?.inputs.map(({ outpoint }) => outpoint) ?? [])
  const cursor = required(await holdCursor(tx, network), 'the cursor')
  const spendable = await holdSpendable(tx, network, trustedAt(parts, cursor), outpoints)
  if (spendable.size < outpoints.length) throw new NotWantedError('a coin may not be spent any more')
  const spends = planned.map(({ id, coins }) => ({ payoutId: id, network, inputs: coins?.inputs ?? [] }))
  if (!(await reserveCoins(tx, spends))) throw new NotWantedError('a coin went to another payout')
  const changes = planned.flatMap(({ coins }) => coins?.change ?? [])
  if ((await insertHotPlaces(tx, network, changes)) < changes.length)
    throw new NotWantedError('a place for change went to another payout')
}
