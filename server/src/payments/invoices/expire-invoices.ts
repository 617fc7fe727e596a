import { lockBooked } from '../../chains/blocks/store.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { lapseInvoices, type SettleInvoicesParts } from './settle-invoices.ts'
import { type BookedUntil, lockExpired } from './status-store.ts'

const batchRows = 100

/**
 * Builds the worker that ends pending invoices that have expired by the database's clock. The worker first
 * waits until all blocks that were mined before the expiry are booked. A payment made in time therefore never
 * counts as late only because it was detected late.
 */
export function expireInvoices(parts: SettleInvoicesParts & { readonly db: Db }): Worker {
  const runBatch = () =>
    inTransaction(parts.db, async (tx) => {
      const ids = await lockExpired(tx, await readBooked(parts.methods, tx), batchRows)
      await appendEvents(tx, await lapseInvoices(parts, tx, ids))
      return ids.length
    })
  return { name: 'expire-invoices', idleMs: 1000, runBatch }
}

/**
 * Returns, for each method, the time up to which the blocks of its network are booked. A lock until the end
 * of the transaction prevents a rollback of these blocks.
 */
async function readBooked(methods: PaymentMethods, tx: Tx): Promise<readonly BookedUntil[]> {
  const bookedUntil = new Map((await lockBooked(tx)).map((chain) => [chain.network, chain.bookedUntil]))
  return methods.all.flatMap(({ id, network }) => {
    const until = bookedUntil.get(network)
    return until === undefined ? [] : [{ paymentMethodId: id, bookedUntil: until }]
  })
}
