/** One merchant's money in USDT, moved by hand: deposits, withdrawals, reorganisations. */

import type { Transfer } from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { cancelWithdrawal } from '../../src/outgoing/withdrawals/cancel-withdrawal.ts'
import { createWithdrawal } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { Blocks } from '../support/blocks.ts'
import { balancesIn, type MerchantBalances } from '../support/books.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { sendWithdrawals } from '../support/sent-withdrawals.ts'
import { settleWithdrawals } from '../support/settled-withdrawals.ts'
import type { Shop } from '../support/shop.ts'
import { withdrawalPartsOf } from '../support/withdrawal-parts.ts'

export interface Till {
  readonly merchantId: string
  /** Mines a payment and the block that confirms it: two blocks. */
  deposit(amountMinor: bigint): Promise<Transfer>
  /** Mines a payment again that was reversed. */
  depositAgain(payment: Transfer): Promise<void>
  /** Orders a withdrawal and returns its id. */
  withdraw(amount: string, methodId?: number, address?: string): Promise<string>
  cancel(id: string): Promise<void>
  /** Marks the withdrawal as sent: its transaction is on the chain, with an open outcome. */
  send(id: string): Promise<void>
  settle(id: string, outcome: 'completed' | 'failed'): Promise<void>
  /** Reverses the last deposits. */
  undo(deposits: number): Promise<void>
  balances(): Promise<MerchantBalances>
  stateOf(id: string): Promise<string>
  events(): Promise<readonly { type: string; data: Record<string, unknown> }[]>
}

const outside = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

export async function openTill(shop: Shop, blocks: Blocks): Promise<Till> {
  const merchantId = await shop.openMerchant()
  const { address } = await shop.addressFor(await shop.openInvoice(merchantId))
  const parts = withdrawalPartsOf(shop)
  const depositAgain = async (payment: Transfer) => {
    await blocks.mine([payment])
    await blocks.mine()
  }
  return {
    merchantId,
    depositAgain,
    async deposit(amountMinor) {
      const payment = blocks.pay(address, amountMinor)
      await depositAgain(payment)
      return payment
    },
    async withdraw(amount, paymentMethodId = 1, to = outside) {
      const id = newId()
      await createWithdrawal(parts, caller, { id, merchantId, address: to, amount, paymentMethodId })
      return id
    },
    cancel: (id) => cancelWithdrawal(shop, caller, { merchantId, id }),
    send: async (id) => void (await sendWithdrawals(shop, [id])),
    settle: (id, outcome) =>
      inTransaction(shop.db, (tx) => settleWithdrawals(shop.methods, tx, [id], outcome)),
    undo: (deposits) => blocks.undo(2 * deposits),
    balances: () => balancesIn(shop, merchantId),
    async stateOf(id) {
      return (await withdrawalRecords.one(shop.db, { id }, 'state')).state
    },
    events: () => eventsTo(shop.db, merchantId, 'withdrawal.'),
  }
}
