import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Intent } from '../../intents/intent.ts'
import { coinOf } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { insertPayouts, isFollowed, type StoredPayout } from '../store.ts'
import type { AccountParts } from './account-parts.ts'
import { gasFor } from './price-gas.ts'

/**
 * The smallest move to the next lane, which is itself where it is the only one, so that what was signed for later places in
 * the order does not wait for ever.
 */
export async function fillGap(
  parts: AccountParts,
  { lanes }: MachineMemory,
  tx: Tx,
  gap: StoredPayout,
): Promise<void> {
  const { from, network, wallet, nonce, fees } = gap
  if (from.type !== 'lane' || !(await isFollowed(tx, gap))) return
  const asset = coinOf(parts)
  const spends = { asset, contract: null, amountMinor: fillerMinor }
  const lane = (from.lane + 1) % lanes.length
  const intent: Intent = { kind: 'rebalance', lane, ...spends }
  const gas = gasFor('rebalance', false, 21_000n).gas
  await insertPayouts(tx, [
    { ...{ id: newId(), network, intent, from, wallet, nonce, spends }, fees: { ...fees, gas } },
  ])
}

const fillerMinor = 1n

export function isFiller({ intent }: StoredPayout): boolean {
  return intent.kind === 'rebalance' && intent.amountMinor === fillerMinor
}
