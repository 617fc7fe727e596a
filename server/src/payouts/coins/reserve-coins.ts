import { groupBy } from '../../core/group-by.ts'
import type { Tx } from '../../db/transaction.ts'
import { NotWantedError } from '../purpose.ts'
import type { NewPayout } from '../store.ts'
import { holdUnspent, insertHotPlaces, reserveCoins } from './coin-store.ts'

/**
 * Speaks for the coins of payouts and has their change watched, before anything is signed that pays it.
 * @throws NotWantedError where a coin or a place for change went to another meanwhile
 */
export async function keepCoins(tx: Tx, planned: readonly NewPayout[]): Promise<void> {
  for (const [network, payouts] of groupBy(planned, (payout) => payout.network)) {
    const spends = payouts.map(({ id, coins }) => ({ payoutId: id, network, inputs: coins?.inputs ?? [] }))
    // The change of what a lift lifts is in no block yet.
    const mined = payouts.filter(({ intent }) => intent.kind !== 'lift')
    const outpoints = mined.flatMap(({ coins }) => coins?.inputs.map(({ outpoint }) => outpoint) ?? [])
    const unspent = await holdUnspent(tx, network, outpoints)
    if (unspent.size < outpoints.length) throw new NotWantedError('a coin was spent or left its block')
    if (!(await reserveCoins(tx, spends))) throw new NotWantedError('a coin went to another payout')
    const changes = payouts.flatMap(({ coins }) => coins?.change ?? [])
    if ((await insertHotPlaces(tx, network, changes)) < changes.length)
      throw new NotWantedError('a place for change went to another payout')
  }
}
