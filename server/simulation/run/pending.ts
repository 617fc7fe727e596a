/** Describes the orders that are still pending at rest. */

import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { findFrozen } from '../debts/owed.ts'
import { findWaiting } from '../model/check-approvals.ts'
import type { OrderState } from '../model/checked-world.ts'
import { findUncovered } from '../model/coverage.ts'
import { isWithoutGas } from '../model/model.ts'
import type { ModelOrder } from '../model/order.ts'
import { isTamperedOrder, isTamperedPurse } from '../model/tampering.ts'
import type { Installation } from '../world/installation.ts'
import { readChecked } from '../world/read-checked.ts'

/**
 * Returns one sentence for each order that is still pending although the merchant's money covers it, its merchant owes
 * nothing and it needs no operator. The sentence says what the order waits for.
 */
export async function describePending(world: Installation): Promise<readonly string[]> {
  const rows = await world.sessions.look<OrderRow>(
    'select id, state, stage, waits_for from withdrawal order by id',
  )
  const pending = rows.filter(({ state }) => state === 'pending')
  if (pending.length === 0 || (await isHaltedByAttack(world))) return []
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const checked = await readChecked(world)
  const uncovered = findUncovered(checked, states)
  const waiting = findWaiting(checked, states)
  const frozen = findFrozen(checked, states)
  const halted = await readHaltedByAttack(world)
  return pending.flatMap(({ id, stage, waits_for }) => {
    const order = world.model.orders.find((one) => one.id === id)
    // `findUnordered` reports an order that no merchant requested.
    if (order === undefined || isAttacked(world, order) || isWithoutGas(world.model, order)) return []
    if (uncovered.has(order) || frozen.has(order)) return []
    if (waiting.has(order) && waits_for === 'operator') return []
    const { amountMinor, asset } = order
    if (halted.has(asset.name)) return []
    return [
      `an order of ${amountMinor} ${asset.name} is still ${stage} and waits for ${waits_for ?? 'nothing'}`,
    ]
  })
}

/** Returns whether payouts are halted after an attacker changed a row. No order can then be paid. */
async function isHaltedByAttack({ model, checked }: Installation): Promise<boolean> {
  return model.tamperings.length > 0 && (await readShownHalts(checked)).length > 0
}

/** Returns the assets whose payouts are halted after an attacker changed a row. */
async function readHaltedByAttack({ model, checked }: Installation): Promise<ReadonlySet<string>> {
  if (model.tamperings.length === 0) return new Set()
  return new Set((await readAssetHalts(checked)).map(({ asset }) => asset))
}

/** Returns whether an attacker changed the order, or what its merchant has in its asset. */
function isAttacked({ model }: Installation, { id, merchantId, asset }: ModelOrder): boolean {
  return isTamperedOrder(model, id) || isTamperedPurse(model, merchantId, asset)
}

interface OrderRow {
  readonly id: string
  readonly state: OrderState
  readonly stage: string | null
  readonly waits_for: string | null
}
