/** Describes the orders that are still pending at rest. */
import { findFrozen } from '../debts/owed.ts'
import { findWaiting } from '../model/check-approvals.ts'
import type { OrderState } from '../model/checked-world.ts'
import { findUncovered } from '../model/coverage.ts'
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
  if (pending.length === 0) return []
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const checked = await readChecked(world)
  const uncovered = findUncovered(checked, states)
  const waiting = findWaiting(checked, states)
  const frozen = findFrozen(checked, states)
  return pending.flatMap(({ id, stage, waits_for }) => {
    const order = world.model.orders.find((one) => one.id === id)
    // `findUnordered` reports an order that nobody gave.
    if (order === undefined || uncovered.has(order) || frozen.has(order)) return []
    if (waiting.has(order) && waits_for === 'operator') return []
    const { amountMinor, asset } = order
    return [
      `an order of ${amountMinor} ${asset.name} is still ${stage} and waits for ${waits_for ?? 'nothing'}`,
    ]
  })
}

interface OrderRow {
  readonly id: string
  readonly state: OrderState
  readonly stage: string | null
  readonly waits_for: string | null
}
