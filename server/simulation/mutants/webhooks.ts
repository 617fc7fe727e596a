/** Faults in events: how they are written, numbered, delivered and read. */
import { lines, type Mutant } from '../mutant.ts'

export const webhookMutants: readonly Mutant[] = [
  {
    name: 'webhooks/expiry-written-after-commit',
    file: 'payments/invoices/expire-invoices.ts',
    from: lines(
      '    inTransaction(parts.db, async (tx) => {',
      '      const ids = await lockExpired(tx, await readBooked(parts.methods, tx), batchRows)',
      '      await appendEvents(tx, await lapseInvoices(parts, tx, ids))',
      '      return ids.length',
      '    })',
    ),
    to: lines(
      '    inTransaction(parts.db, async (tx) => {',
      '      const ids = await lockExpired(tx, await readBooked(parts.methods, tx), batchRows)',
      '      return lapseInvoices(parts, tx, ids)',
      '    }).then(async (events) => {',
      '      await inTransaction(parts.db, (tx) => appendEvents(tx, events))',
      '      return events.length',
      '    })',
    ),
    harm: 'If the process dies after an invoice has expired and before its event is written, the merchant is never told that the invoice expired.',
  },
  {
    name: 'webhooks/numbered-backwards',
    file: 'platform/outbox/event.ts',
    from: 'return events.map((event) => {',
    to: 'return events.toReversed().map((event) => {',
    harm: 'Events of one booking are numbered from the last to the first, so a merchant reads that a payment is confirmed before it reads that the payment was detected.',
  },
  {
    name: 'webhooks/numbers-used-again',
    file: 'platform/outbox/store.ts',
    from: lines(
      `excluded.last_sequence % \${sequenceGap}::bigint,`,
      '          timeline = excluded.timeline, incarnation = excluded.incarnation',
    ),
    to: `excluded.last_sequence % \${sequenceGap}::bigint`,
    harm: 'After a restored database has lost events, their numbers are given to other events, so a merchant that reads the feed by number misses those.',
  },
  {
    name: 'webhooks/delivered-without-answer',
    file: 'webhooks/schedule.ts',
    from: 'const { status = 0 } = outcome',
    to: 'const { status = 200 } = outcome',
    harm: 'An event counts as delivered when the merchant’s server is away or does not answer in time, and is never sent again.',
  },
  {
    name: 'webhooks/interrupted-counts-as-delivered',
    file: 'webhooks/deliver.ts',
    from: "return { claimed, state: 'pending', delayMs: 0 }",
    to: "return { claimed, state: 'delivered', delayMs: 0 }",
    harm: 'Events whose attempts are aborted because the process stops count as delivered, and their merchants never get them.',
  },
  {
    name: 'webhooks/feed-passes-over-events',
    file: 'webhooks/feed/store.ts',
    from: 'const next = found.length === limit ? (found.at(-1)?.sequence ?? scannedTo) : scannedTo',
    to: 'const next = scannedTo',
    harm: 'A merchant that reads the feed in pages misses all events that do not fit on the first page after an outage of its own.',
  },
]
