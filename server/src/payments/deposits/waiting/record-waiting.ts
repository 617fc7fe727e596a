import type { SpentOutpoint } from '../../../chains/port.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { FeeDefaults } from '../../../pricing/fees/fee.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { detectedEvent } from '../events.ts'
import { type DepositTransfer, valueDeposits } from '../recording/value-deposits.ts'
import {
  databaseNow,
  markReplaced,
  markUnseen,
  type SpendRow,
  saveSpends,
  updateSeenDeposits,
} from './store.ts'

/** What one reading of the mempools found. */
export interface Sighting {
  /** Unconfirmed payments to addresses of invoices. */
  readonly deposits: readonly DepositTransfer[]
  /** The outpoints that the payments in `deposits` and their unconfirmed ancestors spend. */
  readonly spends: readonly SpendRow[]
  /** All outpoints that new mempool transactions spend, whether or not the transactions pay us. */
  readonly spent: readonly SpentOutpoint[]
  /** Hashes of stored payments that are no longer in a mempool or a block. */
  readonly gone: readonly string[]
}

/**
 * Stores what was found in the mempools. No payment is credited, and no invoice becomes paid. A new payment
 * causes an event and counts as made now. A payment that is stored already is marked as seen again. A payment
 * that disappeared stays pending and is marked as unseen.
 * @returns how many payments are new
 */
export async function recordWaiting(
  { methods, feeDefaults }: { readonly methods: PaymentMethods; readonly feeDefaults: FeeDefaults },
  tx: Tx,
  network: string,
  { deposits, spends, spent, gone }: Sighting,
): Promise<number> {
  const seen = [{ block: undefined, at: await databaseNow(tx), deposits }]
  const fresh = await updateSeenDeposits(tx, await valueDeposits(tx, feeDefaults, network, seen))
  await saveSpends(tx, network, spends)
  await markReplaced(
    tx,
    network,
    spent.map((one) => ({ ...one, height: undefined })),
  )
  await markUnseen(tx, network, gone)
  await appendEvents(
    tx,
    fresh.flatMap((deposit) => detectedEvent(methods, deposit)),
  )
  return fresh.length
}
