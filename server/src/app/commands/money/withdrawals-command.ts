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
import { type Act, type Desk, deciding } from '../operator-desk.ts'

/** More than anybody reads; the API pages through the rest. */
const listedRows = 1000

export const withdrawalsCommand: Command = {
  usage: 'list | approve <id> [--reason TEXT] | reject <id> --reason TEXT',
  help: [
    'With APPROVAL_ABOVE_USD set, withdrawals worth more are not paid before an operator has agreed, nor those that exceed',
    'it together with what left within 24 hours for their merchant, or to their destination, unasked; nor is any while',
    'there is no fresh price to tell. All else is checked as always: money that is final, screening, limits.',
    '',
    '  coffer withdrawals list                                  the oldest first: id, since when, merchant, amount, where to',
    '  coffer withdrawals approve <id> --reason "called them"   lets one go out',
    '  coffer withdrawals reject <id> --reason "not theirs"     it fails; its money is available again',
    '',
    'To approve, it reads the key of orders (ORDER_KEY_FILE), as the role api does.',
    'The reason of a refusal is told to the merchant. Each decision is recorded. Deciding twice does no harm. Works beside',
    'a running Coffer and on one that is stopped; over the API: GET /operator/approvals.',
  ],
  run: deciding(actOf),
}

function actOf([verb, id]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && id === undefined) return list
  if (id === undefined || !isId(id)) {
    throw new UsageError('say "list", or "approve" or "reject" with the id of a withdrawal')
  }
  const by = { accountId: undefined, reason }
  if (verb === 'approve') {
    return async (desk, { print }) => {
      const orders = await openOrderSigner(desk.config)
      print(describe(desk.methods, await releaseWithdrawal({ ...desk, orders }, by, id.toLowerCase())))
      return 0
    }
  }
  if (verb !== 'reject') throw new UsageError(`"${verb}" is none of list, approve, reject`)
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  return async (desk, { print }) => {
    print(describe(desk.methods, await rejectWithdrawal(desk, { ...by, reason }, id.toLowerCase())))
    return 0
  }
}

async function list({ db, methods }: Desk, { print, note }: Terminal): Promise<number> {
  const { withdrawals, total } = await listForOperator(db, { page: 1, limit: listedRows })
  if (total === 0) note('No withdrawal waits for an operator.')
  for (const withdrawal of withdrawals) print(describe(methods, withdrawal))
  if (total > withdrawals.length) note(`These are the oldest ${withdrawals.length} of ${total}.`)
  return 0
}

function describe(methods: PaymentMethods, withdrawal: Withdrawal): string {
  const { id, merchantId, address, amountMinor, createdAt, standing, waitsFor, isReleased } = withdrawal
  const method = required(methods.byId(withdrawal.paymentMethodId), 'the method of a withdrawal')
  const amount = `${formatDecimal(amountMinor, method.decimals)} ${method.symbol}`
  const state = standing.stage ?? standing.state
  const waits = waitsFor === undefined ? '' : `, waits for ${waitsFor}`
  const released = isReleased ? ', let go' : ''
  const to = addressCodecOf(networks.ethereum).display(address)
  return `${id}  ${createdAt.toISOString()}  ${merchantId}  ${amount}  ${to}  ${state}${waits}${released}`
}
