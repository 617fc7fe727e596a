import { newId } from '../../core/ids.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Intent } from '../../signing/intent.ts'
import { coinOf } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { insertPayouts, isFollowed, type StoredPayout } from '../engine/store.ts'
import type { AccountParts } from './account-parts.ts'

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
  const intent = fillerIntent(coinOf(parts), from.lane, lanes.length)
  const spends = { asset: coinOf(parts), contract: null, amountMinor: fillerMinor }
  await insertPayouts(tx, [
    { id: newId(), network, intent, from, wallet, nonce, spends, fees: { ...fees, gas: fillerGas } },
  ])
}

const fillerMinor = 1n
/** What a transfer of the coin between wallets of ours takes, and a fifth more. */
const fillerGas = 25_200n

export function fillerIntent(coin: string, lane: number, laneCount: number): Intent {
  const to = (lane + 1) % laneCount
  return { kind: 'rebalance', lane: to, asset: coin, contract: null, amountMinor: fillerMinor }
}

export function isFiller({ intent }: StoredPayout): boolean {
  return intent.kind === 'rebalance' && intent.amountMinor === fillerMinor
}
