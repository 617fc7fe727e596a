/** Separates transfers that the books lack from those that deposits found by balance contain. */
import { addressFamilyOf, type NetworkName } from '../../chains/networks.ts'
import type { Transfer } from '../../chains/port.ts'
import { readFoundDeposits } from '../../payments/deposits/recording/explained-store.ts'
import { type Explanation, explainTransfers } from '../../payments/deposits/recording/found-by-balance.ts'
import type { Queryable } from '../../platform/db/pool.ts'

/** A transfer with the height of its block. */
export interface MissedTransfer {
  readonly height: number
  readonly transfer: Transfer
}

/** Reads the deposits found by balance of the recipients, and decides which of the transfers they contain. */
export async function explainMissed(
  on: Queryable,
  network: NetworkName,
  height: number,
  transfers: readonly Transfer[],
): Promise<Explanation<MissedTransfer>> {
  const missed = transfers.map((transfer) => ({ height, transfer }))
  if (missed.length === 0) return { explained: [], contested: [], unexplained: [] }
  const scope = {
    family: addressFamilyOf(network),
    addresses: transfers.map(({ recipient }) => recipient),
  }
  return explainTransfers(missed, await readFoundDeposits(on, network, scope))
}
