/** Requests of an operator who decides about withdrawals. */
import { Problem } from '../../src/core/errors.ts'
import {
  rejectWithdrawal,
  releaseWithdrawal,
} from '../../src/outgoing/withdrawals/approvals/decide-withdrawal.ts'
import type { Approvals } from '../model/approvals.ts'
import type { ModelOrder } from '../model/order.ts'
import { type Called, callerId, request } from './call-api.ts'
import type { Installation } from './installation.ts'

export function callApprove(world: Installation, approvals: Approvals, order: ModelOrder): Promise<Called> {
  return request(world, 'approve a withdrawal', async (parts, answered) => {
    const decisions = approvals.recordOf(order)
    decisions.approvalAskedMs ??= world.time.trueMs
    await releaseWithdrawal(parts, { accountId: callerId, reason: undefined }, order.id)
    await answered()
    decisions.isApproved = true
  })
}

/** Rejects a withdrawal. The API refuses that once a transaction is planned for it. */
export function callReject(world: Installation, approvals: Approvals, order: ModelOrder): Promise<Called> {
  return request(world, 'reject a withdrawal', async (parts, answered) => {
    const decisions = approvals.recordOf(order)
    decisions.openRejections += 1
    try {
      await rejectWithdrawal(parts, { accountId: callerId, reason: 'the merchant did not mean it' }, order.id)
    } catch (error) {
      // A rejection that the API refuses changes nothing.
      if (error instanceof Problem) decisions.openRejections -= 1
      throw error
    }
    await answered()
    decisions.isRejected = true
  })
}
