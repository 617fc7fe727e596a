import type { SpentOutpoint } from '../../../chains/port.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { FeeDefaults } from '../../../pricing/fees/fee.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { detectedEvent } from '../events.ts'
import { type Deposit, valueDeposits } from '../recording/value-deposits.ts'
import { databaseNow, markReplaced, markUnseen, type SpendRow, saveSpends, sightDeposits } from './store.ts'

/** What mempools tell that they did not tell before. */
export interface Sighting {
  /** Payments to addresses of invoices. */
  readonly deposits: readonly Deposit[]
  /** What each of them lives by. */
  readonly spends: readonly SpendRow[]
  /** All that was seen to be spent, by whoever. */
  readonly spent: readonly SpentOutpoint[]
  /** Hashes of payments that no mempool and no block holds any more. */
  readonly gone: readonly string[]
}

/**
 * Writes down what waits: nothing is credited or paid by it. A new payment is told of, and in time from now on; one that is
 * known is seen again; what is gone stays pending and unseen.
 * @returns how many payments are new
 */
export async function recordWaiting(
  { methods, feeDefaults }: { readonly methods: PaymentMethods; readonly feeDefaults: FeeDefaults },
  tx: Tx,
  network: string,
  { deposits, spends, spent, gone }: Sighting,
): Promise<number> {
  const seen = [{ block: undefined, at: await databaseNow(tx), deposits }]
  const fresh = await sightDeposits(tx, await valueDeposits(tx, feeDefaults, network, seen))
  await saveSpends(tx, network, spends)
  await markReplaced(
    tx,
    network,
    spent.map((one) => ({ ...one, height: undefined })),
  )
  await markUnseen(tx, network, gone)
  await appendEvents(
    tx,
    fresh.flatMap((transaction) => detectedEvent(methods, transaction)),
  )
  return fresh.length
}
