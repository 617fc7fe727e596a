/** Faults in the orders of merchants, in their holds and in their approval. */
import { lines, type Mutant } from '../mutant.ts'

export const withdrawalMutants: readonly Mutant[] = [
  {
    name: 'withdrawals/cancelled-without-lock',
    file: 'outgoing/withdrawals/store.ts',
    from: `where id = any(\${[...ids]}::uuid[]) order by id for update`,
    to: `where id = any(\${[...ids]}::uuid[]) order by id`,
    harm: 'A merchant that cancels an order in the moment in which the order is planned gets its money back, and the recipient is paid as well.',
  },
  {
    name: 'withdrawals/failed-hold-kept',
    file: 'outgoing/withdrawals/journals.ts',
    from: '  if (chargedMinor === 0n) return [releaseJournal(withdrawal, outcome)]',
    to: lines(
      "  if (chargedMinor === 0n && outcome === 'failed') return []",
      '  if (chargedMinor === 0n) return [releaseJournal(withdrawal, outcome)]',
    ),
    harm: 'When an order fails without a cost, for example because its transfer would be rejected by the chain, its amount stays held for ever.',
  },
  {
    name: 'withdrawals/failed-hold-released-whole',
    file: 'outgoing/withdrawals/journals.ts',
    from: 'releaseJournal({ ...withdrawal, amountMinor }, outcome)]',
    to: 'releaseJournal(withdrawal, outcome)]',
    harm: 'When an order fails on the chain at its merchant’s cost, that cost is released again from the holds of the merchant’s other orders, or payouts stop if there are none.',
  },
  {
    name: 'withdrawals/completed-when-included',
    file: 'outgoing/withdrawals/follow-outgoing.ts',
    from: lines("    case 'final':", '      return move.inclusion.isSuccess'),
    to: lines("    case 'included':", "    case 'final':", '      return move.inclusion.isSuccess'),
    harm: 'A withdrawal is completed when its transaction is first seen in a block, so a reorganisation that drops the block leaves a completed order that was not paid.',
  },
  {
    name: 'withdrawals/promised-money-covers',
    file: 'outgoing/withdrawals/approvals/coverage.ts',
    from: 'bookedMinor - unfinalMinor - stuckMinor - promisedMinor',
    to: 'bookedMinor - unfinalMinor - stuckMinor',
    harm: 'A merchant with one order under way has a second one paid from deposits that are not final, so the money is missing when a reorganisation drops them.',
  },
  {
    name: 'withdrawals/order-unverified',
    changes: [
      {
        file: 'outgoing/withdrawals/orders/wanted.ts',
        from: '  if (!isSigned) {',
        to: "  if (!isSigned && id === '') {",
      },
      {
        file: 'signer/authorization/approved.ts',
        from: '  if (!isOrdered(orders, network, payment))',
        to: "  if (!isOrdered(orders, network, payment) && withdrawalId === '')",
      },
    ],
    harm: 'Somebody who can write to the database changes the recipient of a queued order, and the order is approved, signed and paid to the new recipient.',
  },
  {
    name: 'withdrawals/day-sum-forgets',
    file: 'outgoing/withdrawals/approvals/approve-withdrawals.ts',
    from: '    if (isCounted) sums.add(withdrawal, worthOf(withdrawal.amountMinor, priced))\n',
    to: '',
    harm: 'Many small orders that are approved in one round leave without the operator’s agreement, although together they are worth more than the limit.',
  },
  {
    name: 'withdrawals/retry-orders-twice',
    file: 'platform/http/idempotency/answer-once.ts',
    from: 'answer = await run.handle(claimed.effectId)',
    to: 'answer = await run.handle(own.effectId)',
    harm: 'A merchant that repeats an order under its Idempotency-Key, after the process died before it answered, has the money sent twice.',
  },
  {
    name: 'withdrawals/restored-without-hold',
    file: 'outgoing/withdrawals/restore-signed.ts',
    from: '  if (!isHeld) await holdAgain(tx, payment, isRetaken)\n',
    to: '',
    harm: 'After the database is restored, a payment that the signer’s log brings back is not held again, so its merchant can spend the same money once more.',
  },
  {
    name: 'withdrawals/event-states-gross',
    file: 'outgoing/withdrawals/events.ts',
    from: 'net: formatDecimal(netMinor(withdrawal), decimals),',
    to: 'net: formatDecimal(amountMinor, decimals),',
    harm: 'The events of a withdrawal with a fee tell the merchant that its recipient gets the whole amount, which is more than the chain moved.',
  },
]
