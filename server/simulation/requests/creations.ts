/** The requests of merchants that create something: orders of withdrawals, and invoices. */
import { formatDecimal } from '../../src/core/money.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { ModelOrder } from '../model/order.ts'
import { caller } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import { newRecipient } from '../world/payers.ts'
import type { Creation } from './creation.ts'

export interface OrderParams {
  readonly merchantId: string
  readonly asset: ModelAsset
  readonly amountMinor: bigint
  readonly address: string
}

export interface InvoiceParams {
  readonly merchantId: string
  readonly asset: ModelAsset
  readonly amountUsd: string
}

/** Returns the order of a withdrawal. The model knows the order as soon as the service may have stored it. */
export function orderCreation(world: Installation, params: OrderParams): Creation {
  const { model } = world
  const { merchantId, asset, amountMinor, address } = params
  model.addressed.add(addressedAs(asset, address))
  let order: ModelOrder | undefined
  const noteOrder = (id: string): ModelOrder => {
    if (order === undefined) {
      order = { ...params, id, requestedMs: world.time.trueMs, isAnswered: false, isCancelled: false }
      model.orders.push(order)
    } else if (!order.isAnswered) order.id = id
    return order
  }
  const body = {
    address,
    amount: formatDecimal(amountMinor, asset.decimals),
    paymentMethodID: asset.methodId,
  }
  return {
    kind: 'order',
    merchantId,
    path: '/merchants/:merchantID/withdrawals',
    body,
    create: async (parts, id) => {
      noteOrder(id)
      const { amount, paymentMethodID: paymentMethodId } = body
      return (await createWithdrawal(parts, caller, { id, merchantId, address, amount, paymentMethodId })).id
    },
    receive: async (_parts, id, answered) => {
      await answered()
      noteOrder(id).isAnswered = true
    },
    changed: (dice) => {
      const other = { ...params, address: newRecipient(world, asset, dice) }
      return orderCreation(world, other)
    },
  }
}

/** Returns the entry of `Model.addressed` for an order of an asset to an address. */
export function addressedAs({ name }: ModelAsset, address: string): string {
  return `${name} ${address}`
}

/** Returns the creation of an invoice whose payer then asks for an address. */
export function invoiceCreation(world: Installation, params: InvoiceParams): Creation {
  const { model, time } = world
  const { merchantId, asset, amountUsd } = params
  const { methodId } = asset
  let requestedMs: number | undefined
  return {
    kind: 'invoice',
    merchantId,
    path: '/merchants/:merchantID/invoices',
    body: { type: 'onetime', amount: amountUsd, paymentMethodID: methodId },
    create: async (parts, id) => {
      model.invoices.set(id, merchantId)
      requestedMs ??= time.trueMs
      const wanted = { id, merchantId, amount: amountUsd, paymentMethodId: methodId }
      return createInvoice(parts, { ...wanted, type: 'onetime' })
    },
    receive: async (parts, invoiceId, answered) => {
      const { address, amountMinor, expiresAt } = await givePaymentAddress(parts, invoiceId, methodId)
      await answered()
      if (model.shown.some((one) => one.invoiceId === invoiceId)) return
      model.shown.push({
        merchantId,
        invoiceId,
        address,
        methodId,
        network: asset.network,
        amountUsd,
        amountMinor,
        expiresMs: expiresAt.getTime(),
        requestedMs: requestedMs ?? time.trueMs,
        answeredMs: time.trueMs,
      })
    },
    changed: () => invoiceCreation(world, { ...params, amountUsd: String(Number(amountUsd) + 1) }),
  }
}
