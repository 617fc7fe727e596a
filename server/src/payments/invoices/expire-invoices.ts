import { lockBooked } from '../../chains/blocks/store.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { lapseInvoices, type SettleInvoicesParts } from './settle-invoices.ts'
import { type BookedUntil, lockExpired } from './standing-store.ts'

const batchRows = 100

/**
 * Ends pending invoices whose time is over by the database's clock, once every block mined in that time is booked:
 * a payment made in time is never cut off because we were slow to see it.
 */
export function expireInvoices(parts: SettleInvoicesParts & { readonly db: Db }): Worker {
  const takeAndDo = () =>
    inTransaction(parts.db, async (tx) => {
      const ids = await lockExpired(tx, await readBooked(parts.methods, tx), batchRows)
      await appendEvents(tx, await lapseInvoices(parts, tx, ids))
      return ids.length
    })
  return { name: 'expire-invoices', idleMs: 1000, takeAndDo }
}

/** Until when each method's network is booked; held, so that no rollback comes in between. */
async function readBooked(methods: PaymentMethods, tx: Tx): Promise<readonly BookedUntil[]> {
  const bookedUntil = new Map((await lockBooked(tx)).map((chain) => [chain.network, chain.bookedUntil]))
  return methods.all.flatMap(({ id, network }) => {
    const until = bookedUntil.get(network)
    return until === undefined ? [] : [{ paymentMethodId: id, bookedUntil: until }]
  })
}
