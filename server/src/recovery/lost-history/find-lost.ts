import { chunksOf } from '../../core/chunks.ts'
import type { CommittedFacts, FactKind, RememberedFact } from '../../core/committed-facts.ts'
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

/** The facts that a process remembers and the database does not contain. */
export interface Lost {
  readonly invoices: readonly RememberedFact<StoredInvoice>[]
  readonly addresses: readonly RememberedFact<GivenAddress>[]
  readonly quotes: readonly RememberedFact<PromisedQuote>[]
  readonly decisions: readonly RememberedFact<MadeDecision>[]
  readonly events: readonly RememberedFact<WrittenEvent | 'delivered'>[]
  readonly withdrawals: readonly RememberedFact<OrderedWithdrawal>[]
  readonly answers: readonly RememberedFact<GivenAnswer>[]
}

/** Maximum number of facts in one query. The query finds each fact by an index. */
const comparedAtOnce = 1_000

/**
 * Returns the remembered facts that the database does not contain. Compares the facts in batches.
 * @param beat called before each batch, to report that the comparison is still running
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
    find: (chunk: readonly RememberedFact<C>[]) => Promise<ReadonlySet<number>>,
  ) => {
    // A process may remember a fact twice, for example an event: when it is written, and when it is
    // delivered.
    const found = new Map<string, RememberedFact<C>>()
    for (const chunk of chunksOf(facts.of(kind), comparedAtOnce)) {
      await beat()
      const missing = await find(chunk)
      for (const fact of chunk.filter((_, index) => missing.has(index)))
        if (!found.has(fact.id)) found.set(fact.id, fact)
    }
    return [...found.values()]
  }
  return {
    invoices: await lost(invoiceFacts, (chunk) => findMissingInvoices(on, ids(chunk))),
    addresses: await lost(addressFacts, (chunk) => findMissingAddresses(on, contents(chunk))),
    quotes: await lost(quoteFacts, (chunk) => findMissingQuotes(on, ids(chunk))),
    decisions: await lost(decisionFacts, (chunk) => findMissingDecisions(on, contents(chunk))),
    events: await lost(eventFacts, (chunk) => findMissingEvents(on, ids(chunk))),
    withdrawals: await lost(withdrawalFacts, (chunk) => findMissingWithdrawals(on, ids(chunk))),
    answers: await lost(answerFacts, (chunk) => findMissingAnswers(on, contents(chunk))),
  }
}
