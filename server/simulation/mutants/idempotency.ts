/** Faults in how requests under an Idempotency-Key are answered once. */
import type { Mutant } from '../mutant.ts'

export const idempotencyMutants: readonly Mutant[] = [
  {
    name: 'idempotency/key-without-body',
    file: 'platform/http/idempotency/idempotency.ts',
    from: '.update(canonicalJson([method, path, ids, query, body ?? null]))',
    to: '.update(canonicalJson([method, path, ids, query]))',
    harm: 'A merchant that uses a key for two orders by mistake is told that the second was accepted, and its recipient is never paid.',
  },
  {
    name: 'idempotency/keys-of-account',
    file: 'platform/http/idempotency/idempotency.ts',
    from: '  if (merchant !== undefined) return merchant.id\n',
    to: '',
    harm: 'An account that numbers the orders of each of its shops cannot order for the second shop, because the first has used the same key.',
  },
  {
    name: 'idempotency/answer-of-other-shop',
    changes: [
      {
        file: 'platform/http/idempotency/idempotency.ts',
        from: '  if (merchant !== undefined) return merchant.id\n',
        to: '',
      },
      {
        file: 'platform/http/idempotency/idempotency.ts',
        from: '.update(canonicalJson([method, path, ids, query, body ?? null]))',
        to: '.update(canonicalJson([method, path, query]))',
      },
    ],
    harm: 'An account that numbers the invoices of each of its shops gets the invoice of another shop, so the payer pays the wrong one.',
  },
  {
    name: 'idempotency/claim-outlives-process',
    file: 'platform/http/idempotency/idempotency-store.ts',
    from: 'and idempotency_key.claimed_until <= coffer_now()',
    to: 'and idempotency_key.claimed_until is null',
    harm: 'After the process died during a request, each repetition is told that the request is still in progress, so the merchant never learns whether the order exists.',
  },
  {
    name: 'idempotency/takeover-has-new-id',
    file: 'platform/http/idempotency/idempotency-store.ts',
    from: 'set claim_id = excluded.claim_id, claimed_until = excluded.claimed_until',
    to: 'set claim_id = excluded.claim_id, claimed_until = excluded.claimed_until, effect_id = excluded.effect_id',
    harm: 'A merchant that repeats an order whose first request was slow or was killed has the money sent twice.',
  },
]
