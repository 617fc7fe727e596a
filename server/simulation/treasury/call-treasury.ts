/** Requests of the operator about the treasury. */
import { newId } from '../../src/core/ids.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { orderTreasuryWithdrawal } from '../../src/outgoing/treasury/order-treasury-withdrawal.ts'
import { type TreasuryWithdrawalSource, withdrawableMinor } from '../../src/outgoing/treasury/own-money.ts'
import { readTreasury } from '../../src/outgoing/treasury/read-treasury.ts'
import type { TreasuryWithdrawalState } from '../../src/outgoing/treasury/treasury-withdrawal.ts'
import type { ModelAsset } from '../model/asset.ts'
import { type Called, callerId, request } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import type { TreasuryStates } from './treasury-order.ts'

interface TreasuryRequest {
  readonly asset: ModelAsset
  readonly source: TreasuryWithdrawalSource
  /** The amount, in percent of what the treasury figures say can be withdrawn. */
  readonly percent: bigint
}

/** Reads the treasury figures, as the dashboard does, and then orders a treasury withdrawal. */
export function callOrderTreasury(
  world: Installation,
  { asset, source, percent }: TreasuryRequest,
): Promise<Called> {
  return request(world, 'order a treasury withdrawal', async (parts, answered) => {
    const figures = await readTreasury(parts.db, parts.methods)
    await answered()
    const own = figures.find(({ method }) => method.id === asset.methodId)
    const mostMinor = own === undefined ? 0n : withdrawableMinor(own.books, source)
    const amountMinor = (mostMinor * percent) / 100n
    if (amountMinor === 0n) return
    const order = { id: newId(), asset, source, amountMinor, isAnswered: false }
    world.model.treasuryOrders.push(order)
    await orderTreasuryWithdrawal(parts, callerId, {
      id: order.id,
      paymentMethodId: asset.methodId,
      source,
      amount: formatDecimal(amountMinor, asset.decimals),
    })
    await answered()
    order.isAnswered = true
  })
}

/** Reads the states of all treasury withdrawals from the service. */
export async function readTreasuryStates({ sessions, model }: Installation): Promise<TreasuryStates> {
  if (model.treasuryOrders.length === 0) return new Map()
  const rows = await sessions.look<{ id: string; state: TreasuryWithdrawalState }>(
    'select id, state from treasury_withdrawal',
  )
  return new Map(rows.map(({ id, state }) => [id, state]))
}
