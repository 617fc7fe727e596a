import { assert, required } from '../../core/assert.ts'
import { accountKey, type Journal, type LedgerAccount } from '../../ledger/journal.ts'
import { post, type Shortfall } from '../../ledger/post.ts'
import { receivableJournal } from '../../ledger/receivable.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type Ending, endWithdrawals, settleReturned } from './end-withdrawals.ts'
import { findEndable } from './orders/endable.ts'
import { coverShortfall } from './shortfall.ts'
import { lockCancellable } from './store.ts'

/**
 * Posts journals that reverse credits of merchants whose available balance is too small. To cover the missing
 * amount, the merchant's newest withdrawals without a planned transaction are cancelled. The amount that is
 * still missing becomes a negative balance. A reversed block can therefore be booked even if the merchant has
 * spent the money.
 * @param shortfalls the amounts that are missing to post `journals`
 * @returns the events to append in the same transaction
 */
export async function postCovered(
  methods: PaymentMethods,
  tx: Tx,
  journals: readonly Journal[],
  shortfalls: readonly Shortfall[],
): Promise<readonly NewEvent[]> {
  const covers: Ending[] = []
  for (const shortfall of shortfalls) {
    covers.push(await cover(methods, tx, shortfall, causeOf(journals, shortfall.account)))
  }
  const covering = covers.flatMap((one) => one.journals)
  await post(tx, [...covering, ...journals])
  await settleReturned(tx, covering)
  return covers.flatMap(({ events }) => events)
}

async function cover(
  methods: PaymentMethods,
  tx: Tx,
  { account, shortMinor }: Shortfall,
  cause: string,
): Promise<Ending> {
  assert(account.name === 'available', `${accountKey(account)} is short of ${shortMinor}`)
  const merchantId = required(account.ownerId, 'the merchant of a shortfall')
  const { endable } = await findEndable(methods, tx, await lockCancellable(tx, merchantId, account.asset))
  const holding = endable.flatMap((ordered) => {
    const { money, withdrawal } = ordered
    const isOwn = withdrawal.merchantId === merchantId && withdrawal.asset === account.asset
    const { id, amountMinor } = withdrawal
    return isOwn && money === 'open' ? [{ id, amountMinor, ordered }] : []
  })
  const { cancelled: chosen, owedMinor } = coverShortfall(shortMinor, holding)
  const cancelled = chosen.map(({ ordered }) => ordered)
  const by = { outcome: 'cancelled', reason: 'shortfall' } as const
  const { journals, events } = await endWithdrawals(methods, tx, cancelled, by)
  const owed = owedMinor === 0n ? [] : [receivableJournal(account, owedMinor, cause)]
  return { journals: [...journals, ...owed], events }
}

/**
 * Returns the subject of the first journal that takes money from the account. A subject is posted only once,
 * so the missing amount is owed only once.
 */
function causeOf(journals: readonly Journal[], wanted: LedgerAccount): string {
  const key = accountKey(wanted)
  const cause = journals.find(({ lines }) => lines.some(({ account }) => accountKey(account) === key))
  return required(cause, `the journal that debits ${key}`).subject
}
