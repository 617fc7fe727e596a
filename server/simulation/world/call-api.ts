/**
 * Requests to the API. The steps of a request alternate with the steps of all other work, so the answer may
 * come much later. If the process is killed, the answer never comes.
 */

import { Problem } from '../../src/core/errors.ts'
import { newId } from '../../src/core/ids.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import type { ModelAsset, ModelOrder } from '../model/model.ts'
import type { Installation } from './installation.ts'
import type { ApiParts } from './processes.ts'

export type Called = 'sent' | 'the API is paused'

export interface Api {
  openInvoice(params: {
    readonly merchantId: string
    readonly asset: ModelAsset
    readonly amountUsd: string
  }): Promise<void>
  order(params: {
    readonly merchantId: string
    readonly asset: ModelAsset
    readonly amountMinor: bigint
    readonly address: string
  }): Promise<void>
  cancel(order: ModelOrder): Promise<void>
}

/** The account that makes all requests. */
export const callerId = '00000000-0000-7000-8000-000000000001'

export const caller = {
  type: 'account',
  accountId: callerId,
  sessionId: '00000000-0000-7000-8000-000000000002',
  isOperator: false,
} as const

/** Starts a request. A rejection by the API is a normal answer. Other errors are recorded. */
export function callApi(
  world: Installation,
  name: string,
  call: (api: Api) => Promise<void>,
): Promise<Called> {
  return request(world, name, (parts, answered) => call(apiOf(world, parts, answered)))
}

/**
 * Waits until the caller has received the answer. If the process is killed after the commit, the caller never
 * receives it.
 */
export type Answered = () => Promise<void>

/** Starts a request, which `serve` processes with the parts of the API. */
export async function request(
  world: Installation,
  name: string,
  serve: (parts: ApiParts, answered: Answered) => Promise<void>,
): Promise<Called> {
  const { scheduler } = world
  const { life, api, ready } = world.process('api')
  if (api === undefined || life.isPaused) return 'the API is paused'
  const answered = () => scheduler.step({ life, label: 'answer', run: async () => {} })
  await scheduler.start(life, name, async () => {
    try {
      await ready()
      await serve(api, answered)
    } catch (error) {
      if (error instanceof Problem) return
      world.noteError(`api: ${name}`, error)
    }
  })
  return 'sent'
}

function apiOf({ model, time }: Installation, parts: ApiParts, answered: Answered): Api {
  return {
    openInvoice: async ({ merchantId, asset, amountUsd }) => {
      const { methodId } = asset
      const id = newId()
      model.invoices.set(id, merchantId)
      const requestedMs = time.trueMs
      const invoiceId = await createInvoice(parts, {
        id,
        merchantId,
        type: 'onetime',
        amount: amountUsd,
        paymentMethodId: methodId,
      })
      const { address, amountMinor } = await givePaymentAddress(parts, invoiceId, methodId)
      await answered()
      model.shown.push({
        merchantId,
        invoiceId,
        address,
        methodId,
        amountMinor,
        requestedMs,
        answeredMs: time.trueMs,
      })
    },
    order: async ({ merchantId, asset, amountMinor, address }) => {
      const order = {
        id: newId(),
        merchantId,
        asset,
        amountMinor,
        address,
        requestedMs: time.trueMs,
        isAnswered: false,
        isCancelled: false,
      }
      model.orders.push(order)
      await createWithdrawal(parts, caller, {
        id: order.id,
        merchantId,
        address,
        amount: formatDecimal(amountMinor, asset.decimals),
        paymentMethodId: asset.methodId,
      })
      await answered()
      order.isAnswered = true
    },
    cancel: async (order) => {
      const { id, merchantId } = order
      await cancelWithdrawal(parts, caller, { id, merchantId })
      await answered()
      order.isCancelled = true
    },
  }
}
