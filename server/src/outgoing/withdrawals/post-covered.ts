import { assert, required } from '../../core/assert.ts'
import { chunksOf } from '../../core/chunks.ts'
import { accountKey, type Journal, type LedgerAccount } from '../../ledger/journal.ts'
import { post, type Shortfall } from '../../ledger/post.ts'
import { receivableJournal } from '../../ledger/receivable.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type Ending, endWithdrawals, settleReturned } from './end-withdrawals.ts'
import type { Ordered } from './orders/as-ordered.ts'
import { findEndable } from './orders/endable.ts'
import { type Cancellable, type Cover, coverShortfall } from './shortfall.ts'
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
  const purse = { merchantId, asset: account.asset }
  const { cancelled: chosen, owedMinor } = await chooseCover(methods, tx, purse, shortMinor)
  const cancelled = chosen.map(({ ordered }) => ordered)
  const by = { outcome: 'cancelled', reason: 'shortfall' } as const
  const { journals, events } = await endWithdrawals(methods, tx, cancelled, by)
  const owed = owedMinor === 0n ? [] : [receivableJournal(account, owedMinor, cause)]
  return { journals: [...journals, ...owed], events }
}

interface Holding extends Cancellable {
  readonly ordered: Ordered
}

/**
 * Chooses the withdrawals of a merchant that are cancelled to cover an amount. Checks the newest first and in
 * chunks, because a merchant may have thousands of withdrawals, of which a few cover the amount.
 */
async function chooseCover(
  methods: PaymentMethods,
  tx: Tx,
  { merchantId, asset }: { readonly merchantId: string; readonly asset: string },
  shortMinor: bigint,
): Promise<Cover<Holding>> {
  const holding: Holding[] = []
  let cover = coverShortfall(shortMinor, holding)
  for (const chunk of chunksOf(await lockCancellable(tx, merchantId, asset), chunkMax)) {
    if (cover.owedMinor === 0n) break
    for (const ordered of (await findEndable(methods, tx, chunk)).endable) {
      const { money, withdrawal } = ordered
      const { id, amountMinor } = withdrawal
      if (money !== 'open' || withdrawal.merchantId !== merchantId || withdrawal.asset !== asset) continue
      holding.push({ id, amountMinor, ordered })
    }
    cover = coverShortfall(shortMinor, holding)
  }
  return cover
}

const chunkMax = 100

/**
 * Returns the subject of the first journal that takes money from the account. A subject is posted only once,
 * so the missing amount is owed only once.
 */
function causeOf(journals: readonly Journal[], wanted: LedgerAccount): string {
  const key = accountKey(wanted)
  const cause = journals.find(({ lines }) => lines.some(({ account }) => accountKey(account) === key))
  return required(cause, `the journal that debits ${key}`).subject
}
