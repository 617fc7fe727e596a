import { networks } from '../../../chains/networks.ts'
import { addressCodecOf } from '../../../chains/open-chain.ts'
import { required } from '../../../core/assert.ts'
import { isId } from '../../../core/ids.ts'
import { formatDecimal } from '../../../core/money.ts'
import {
  rejectWithdrawal,
  releaseWithdrawal,
} from '../../../outgoing/withdrawals/approvals/decide-withdrawal.ts'
import { listForOperator } from '../../../outgoing/withdrawals/approvals/store.ts'
import type { Withdrawal } from '../../../outgoing/withdrawals/withdrawal.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { openOrderSigner } from '../../keys/open-order-keys.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Act, type CommandContext, deciding } from '../operator-context.ts'

/**
 * Maximum number of lines that the command prints, because nobody reads more. The API returns all entries in
 * pages.
 */
const listedRows = 1000

export const withdrawalsCommand: Command = {
  usage: 'list | approve <id> [--reason TEXT] | reject <id> --reason TEXT',
  help: [
    'If APPROVAL_ABOVE_USD is set, a withdrawal waits for an operator’s approval if it is worth more, alone or together with',
    'the withdrawals of the last 24 hours by its merchant or to its destination that needed no approval, or if there is no',
    'fresh price to value it. All other checks apply as always: final money, screening, limits.',
    '',
    '  coffer withdrawals list                                  oldest first: id, time, merchant, amount, destination',
    '  coffer withdrawals approve <id> --reason "called them"   approves one',
    '  coffer withdrawals reject <id> --reason "not theirs"     rejects one: it fails, and its money is available again',
    '',
    'Approving needs the order key (ORDER_KEY_FILE), as the role api does.',
    'The reason of a rejection is shown to the merchant. Each decision is recorded. Repeating a decision has no effect. Works',
    'while Coffer is running and while it is stopped; in the API: GET /operator/approvals.',
  ],
  run: deciding(actOf),
}

function actOf([verb, id]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && id === undefined) return list
  if (id === undefined || !isId(id)) {
    throw new UsageError('expected "list", or "approve" or "reject" with the id of a withdrawal')
  }
  const by = { accountId: undefined, reason }
  if (verb === 'approve') {
    return async (context, { print }) => {
      const orders = await openOrderSigner(context.config)
      print(describe(context.methods, await releaseWithdrawal({ ...context, orders }, by, id.toLowerCase())))
      return 0
    }
  }
  if (verb !== 'reject') throw new UsageError(`"${verb}" is not one of list, approve, reject`)
  if (reason === undefined || reason === '') throw new UsageError('a reason is required: --reason "..."')
  return async (context, { print }) => {
    print(describe(context.methods, await rejectWithdrawal(context, { ...by, reason }, id.toLowerCase())))
    return 0
  }
}

async function list({ db, methods }: CommandContext, { print, note }: Terminal): Promise<number> {
  const { withdrawals, total } = await listForOperator(db, { page: 1, limit: listedRows })
  if (total === 0) note('No withdrawal waits for an operator.')
  for (const withdrawal of withdrawals) print(describe(methods, withdrawal))
  if (total > withdrawals.length) note(`Only the oldest ${withdrawals.length} of ${total} are shown.`)
  return 0
}

function describe(methods: PaymentMethods, withdrawal: Withdrawal): string {
  const { id, merchantId, address, amountMinor, createdAt, status, waitsFor, isReleased } = withdrawal
  const method = required(methods.byId(withdrawal.paymentMethodId), 'the method of a withdrawal')
  const amount = `${formatDecimal(amountMinor, method.decimals)} ${method.symbol}`
  const state = status.stage ?? status.state
  const waits = waitsFor === undefined ? '' : `, waits for ${waitsFor}`
  const released = isReleased ? ', approved' : ''
  const to = addressCodecOf(networks.ethereum).display(address)
  return `${id}  ${createdAt.toISOString()}  ${merchantId}  ${amount}  ${to}  ${state}${waits}${released}`
}
