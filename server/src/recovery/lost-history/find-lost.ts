import type { CommittedFacts, FactKind, RememberedFact } from '../../core/committed-facts.ts'
import { piecesOf } from '../../core/pieces.ts'
import { type OrderedWithdrawal, withdrawalFacts } from '../../outgoing/withdrawals/withdrawal-facts.ts'
import {
  addressFacts,
  decisionFacts,
  type GivenAddress,
  invoiceFacts,
  type MadeDecision,
  type PromisedQuote,
  quoteFacts,
  type StoredInvoice,
} from '../../payments/invoices/invoice-facts.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { answerFacts, type GivenAnswer } from '../../platform/http/idempotency/idempotency-store.ts'
import { eventFacts, type WrittenEvent } from '../../platform/outbox/event-facts.ts'
import {
  findMissingAddresses,
  findMissingAnswers,
  findMissingDecisions,
  findMissingEvents,
  findMissingInvoices,
  findMissingQuotes,
  findMissingWithdrawals,
} from './missing-store.ts'

/** What a process remembers and the database does not hold. */
export interface Lost {
  readonly invoices: readonly RememberedFact<StoredInvoice>[]
  readonly addresses: readonly RememberedFact<GivenAddress>[]
  readonly quotes: readonly RememberedFact<PromisedQuote>[]
  readonly decisions: readonly RememberedFact<MadeDecision>[]
  readonly events: readonly RememberedFact<WrittenEvent | 'delivered'>[]
  readonly withdrawals: readonly RememberedFact<OrderedWithdrawal>[]
  readonly answers: readonly RememberedFact<GivenAnswer>[]
}

/** So many are looked up at once, each by an index. */
const comparedAtOnce = 1_000

/**
 * Compares what is remembered with the database, in batches.
 * @param beat called before each batch
 */
export async function findLost(
  on: Queryable,
  facts: CommittedFacts,
  beat: () => Promise<void>,
): Promise<Lost> {
  const ids = (of: readonly RememberedFact<unknown>[]) => of.map(({ id }) => id)
  const contents = <C>(of: readonly RememberedFact<C>[]) => of.map(({ content }) => content)
  const lost = async <C>(
    kind: FactKind<C>,
    find: (piece: readonly RememberedFact<C>[]) => Promise<ReadonlySet<number>>,
  ) => {
    // A fact may be remembered twice, as an event is by who wrote it and who delivered it.
    const found = new Map<string, RememberedFact<C>>()
    for (const piece of piecesOf(facts.of(kind), comparedAtOnce)) {
      await beat()
      const places = await find(piece)
      for (const fact of piece.filter((_, place) => places.has(place)))
        if (!found.has(fact.id)) found.set(fact.id, fact)
    }
    return [...found.values()]
  }
  return {
    invoices: await lost(invoiceFacts, (piece) => findMissingInvoices(on, ids(piece))),
    addresses: await lost(addressFacts, (piece) => findMissingAddresses(on, contents(piece))),
    quotes: await lost(quoteFacts, (piece) => findMissingQuotes(on, ids(piece))),
    decisions: await lost(decisionFacts, (piece) => findMissingDecisions(on, contents(piece))),
    events: await lost(eventFacts, (piece) => findMissingEvents(on, ids(piece))),
    withdrawals: await lost(withdrawalFacts, (piece) => findMissingWithdrawals(on, ids(piece))),
    answers: await lost(answerFacts, (piece) => findMissingAnswers(on, contents(piece))),
  }
}
