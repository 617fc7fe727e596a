import type { BlockRef } from '../chains/port.ts'
import { assert, required } from '../core/assert.ts'
import type { Tx } from '../db/transaction.ts'
import { settleInvoices } from '../invoices/settle-invoices.ts'
import { post } from '../ledger/post.ts'
import { appendEvents } from '../outbox/append.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { confirmRipe } from './confirm-deposits.ts'
import { confirmedEvent, detectedEvent } from './events.ts'
import { readPayments } from './payments.ts'
import { includeDeposits } from './store.ts'
import type { Transaction } from './transaction.ts'
import { type Deposit, valueDeposits } from './value-deposits.ts'

export interface RecordBlockParts {
  readonly methods: PaymentMethods
}

/**
 * Books everything a new canonical block means, inside the transaction that also moves the cursor: its deposits,
 * those it confirms, the invoices they change, the journals and the events.
 */
export async function recordBlock(
  { methods }: RecordBlockParts,
  tx: Tx,
  network: string,
  block: BlockRef,
  deposits: readonly Deposit[],
): Promise<void> {
  const included = deposits.length === 0 ? [] : await include(tx, network, block, deposits)
  const confirmation = await confirmRipe(methods, tx, network, block.height)
  const { confirmed, journals } = confirmation
  if (included.length + confirmed.length === 0) return
  const invoiceEvents = await settleInvoices(
    { methods, paymentsOf: (on, ids) => readPayments(methods, on, ids) },
    tx,
    invoiceIdsOf([...included, ...confirmed]),
    false,
  )
  await post(tx, journals)
  await appendEvents(tx, [
    ...included.flatMap((transaction) => detectedEvent(methods, transaction, block.minedAt)),
    ...invoiceEvents,
    ...confirmed.flatMap((transaction) => confirmedEvent(methods, transaction)),
  ])
}

async function include(
  tx: Tx,
  network: string,
  block: BlockRef,
  deposits: readonly Deposit[],
): Promise<readonly Transaction[]> {
  const included = await includeDeposits(tx, await valueDeposits(tx, network, block, deposits))
  assert(
    included.length === deposits.length,
    `block ${block.height} of ${network} holds a transfer that another canonical block holds too`,
  )
  return included
}

/** The invoices some transactions belong to, each once, in lock order. */
export function invoiceIdsOf(transactions: readonly Transaction[]): readonly string[] {
  const owned = transactions.filter(({ invoiceId }) => invoiceId !== undefined)
  return [...new Set(owned.map(({ invoiceId }) => required(invoiceId, 'an invoice')))].sort()
}
