/** Reads what the service answers about orders, balances and invoices. */
import { balancesOf } from '../../src/ledger/balance.ts'
import { findWithdrawal } from '../../src/outgoing/withdrawals/store.ts'
import { type Answers, keyOf } from '../model/check.ts'
import type { InvoiceAnswers } from '../model/check-invoices.ts'
import type { OrderState } from '../model/checked-world.ts'
import type { Installation } from '../world/installation.ts'

/** Reads the states of all orders and the balances of all merchants from the service. */
export async function readAnswers(world: Installation): Promise<Answers> {
  const { model, assets, checked: db } = world
  const orders = new Map<string, OrderState>()
  for (const { id, merchantId } of model.orders)
    orders.set(id, (await findWithdrawal(db, merchantId, id))?.status.state ?? 'unknown')
  const available = await balancesOf(db, model.merchants, 'available')
  const receivable = await balancesOf(db, model.merchants, 'receivable')
  const heldBalances = await balancesOf(db, model.merchants, 'held')
  const balances = new Map<string, bigint>()
  const debts = new Map<string, bigint>()
  const held = new Map<string, bigint>()
  for (const merchantId of model.merchants)
    for (const asset of assets) {
      const of = (some: typeof available) => some.get(merchantId)?.get(asset.name) ?? 0n
      const key = keyOf(merchantId, asset)
      balances.set(key, of(available) - of(receivable))
      debts.set(key, of(receivable))
      held.set(key, of(heldBalances))
    }
  return { orders, balances, debts, held }
}

export async function readInvoices({ sessions, time }: Installation): Promise<InvoiceAnswers> {
  const rows = await sessions.look<{ id: string; state: string }>(
    'select id, state from invoice where deleted_at is null',
  )
  return { states: new Map(rows.map(({ id, state }) => [id, state])), nowMs: time.trueMs }
}
