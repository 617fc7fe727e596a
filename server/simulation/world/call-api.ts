/**
 * Requests to the API. The steps of a request alternate with the steps of all other work, so the answer may
 * come much later. If the process is killed, the answer never comes.
 */

import { Problem } from '../../src/core/errors.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { type Accepts, admitMerchant } from '../access/admission.ts'
import type { ModelOrder } from '../model/order.ts'
import type { Answered } from './answered.ts'
import { owner } from './fixed.ts'
import type { Installation } from './installation.ts'
import type { ApiParts } from './processes.ts'

export type Called = 'sent' | 'the API is paused'

/** The account that makes all requests. */
export const callerId = owner.accountId

export const caller = { type: 'account', ...owner, isOperator: false } as const

/**
 * Starts a request, which `serve` processes with the parts of the API. A rejection by the API is a normal answer.
 * Other errors are recorded.
 */
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

/** The merchant in whose name a request is sent, and the credentials that its route accepts. */
export interface Requester {
  readonly merchantId: string
  readonly accepts?: Accepts
}

/** Starts a request of a merchant. In seeds with API keys, it is authenticated first. */
export function requestOf(
  world: Installation,
  { merchantId, accepts = 'any' }: Requester,
  name: string,
  serve: (parts: ApiParts, answered: Answered) => Promise<void>,
): Promise<Called> {
  const { access } = world
  if (access === undefined) return request(world, name, serve)
  return request(world, name, async (parts, answered) => {
    await admitMerchant(access, parts.authenticator, { merchantId, accepts })
    await serve(parts, answered)
  })
}

export function callCancel(world: Installation, order: ModelOrder): Promise<Called> {
  return requestOf(world, order, 'cancel a withdrawal', async (parts, answered) => {
    const { id, merchantId } = order
    await cancelWithdrawal(parts, caller, { id, merchantId })
    await answered()
    order.isCancelled = true
  })
}
