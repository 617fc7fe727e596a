import { assert, required } from '../../core/assert.ts'
import { accountKey, type Journal, type LedgerAccount } from '../../ledger/journal.ts'
import { post, type Shortfall } from '../../ledger/post.ts'
import { suspenseJournal } from '../../ledger/suspense.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type Ending, endWithdrawals, settleReturned } from './end-withdrawals.ts'
import { coverShortfall } from './shortfall.ts'
import { lockCancellable } from './store.ts'

/**
 * Posts reversals for which merchants no longer have enough available: their newest withdrawals are cancelled as far as
 * nothing is planned for them, and what is missing then is owed. A chain is never held up by what was done with its money.
 * @param shortfalls what `journals` lack
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
  const { cancelled, owedMinor } = coverShortfall(
    shortMinor,
    await lockCancellable(tx, merchantId, account.asset),
  )
  const by = { outcome: 'cancelled', reason: 'shortfall' } as const
  const { journals, events } = await endWithdrawals(methods, tx, cancelled, by)
  const owed = owedMinor === 0n ? [] : [suspenseJournal(account, owedMinor, cause)]
  return { journals: [...journals, ...owed], events }
}

/** The first journal that takes from the account: it is posted once, so what it makes missing is owed once. */
function causeOf(journals: readonly Journal[], wanted: LedgerAccount): string {
  const key = accountKey(wanted)
  const cause = journals.find(({ lines }) => lines.some(({ account }) => accountKey(account) === key))
  return required(cause, `what takes from ${key}`).subject
}
