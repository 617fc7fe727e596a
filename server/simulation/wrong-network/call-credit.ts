/** Requests of merchants to be credited with a payment on the wrong network. */
import { Problem } from '../../src/core/errors.ts'
import { creditDeposit } from '../../src/payments/deposits/unattributed/credit-deposit.ts'
import { type Called, caller, requestOf } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import { creditRequestOf } from './credit-request.ts'

/** A payment as the service shows it to merchants. */
export interface ShownPayment {
  readonly id: string
  readonly merchantId: string
  readonly invoiceId: string
  readonly network: string
  readonly asset: string
  readonly txHash: string
  readonly recipient: string
}

/** Reads the payments to invoices that the service knows, oldest first. */
export function readPayments({ sessions }: Installation): Promise<readonly ShownPayment[]> {
  return sessions.look<ShownPayment>(
    `select id, merchant_id as "merchantId", invoice_id as "invoiceId", network, asset, tx_hash as "txHash", recipient
      from deposit where merchant_id is not null and invoice_id is not null order by created_at, tx_hash, network, id`,
  )
}

/** Asks to credit a payment. The API rejects the request unless the merchant may credit the payment now. */
export function callCredit(world: Installation, merchantId: string, payment: ShownPayment): Promise<Called> {
  return requestOf(world, { merchantId }, 'credit a payment', async (parts, answered) => {
    const contract = world.assets.find(({ name }) => name === payment.asset)?.contract ?? null
    const request = creditRequestOf(world.model, { ...payment, contract })
    request.open += 1
    try {
      await creditDeposit(parts, { caller, merchantId, depositId: payment.id })
    } catch (error) {
      // A request that the API rejects changes nothing.
      if (error instanceof Problem) request.open -= 1
      throw error
    }
    await answered()
    request.isConfirmed = true
  })
}
