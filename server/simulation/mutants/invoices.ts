/** Faults in the addresses, prices and status of invoices. */
import { lines, type Mutant } from '../mutant.ts'

export const invoiceMutants: readonly Mutant[] = [
  {
    name: 'invoices/half-pays',
    file: 'payments/invoices/share.ts',
    from: 'return share.numerator * needed.denominator >= needed.numerator * share.denominator',
    to: 'return 2n * share.numerator * needed.denominator >= needed.numerator * share.denominator',
    harm: 'An invoice is reported as paid as soon as half of its amount has come, so the merchant delivers goods that are half paid.',
  },
  {
    name: 'invoices/late-payment-pays',
    file: 'payments/invoices/status.ts',
    from: 'return end === undefined || payment.inTimeAt < end',
    to: 'return true',
    harm: 'A payment that comes after its invoice has expired pays the invoice, although the merchant was told that it expired.',
  },
  {
    name: 'invoices/expires-before-its-blocks',
    changes: [
      {
        file: 'payments/invoices/status-store.ts',
        from: `expires_at <= least(coffer_now(), \${latest})`,
        to: 'expires_at <= coffer_now()',
      },
      {
        file: 'payments/invoices/status-store.ts',
        from: `where booked."bookedUntil" is null or booked."bookedUntil" < invoice.expires_at)`,
        to: `where booked."bookedUntil" is null)`,
      },
    ],
    harm: 'While the watcher is behind, an invoice that was paid in time is reported as expired, because the block with its payment is not booked yet.',
  },
  {
    name: 'invoices/address-given-twice',
    changes: [
      {
        file: 'payments/invoices/addresses/address-pool.ts',
        from: 'const derived = this.#free.shift()',
        to: 'const [derived] = this.#free',
      },
      {
        file: 'payments/invoices/addresses/address-store.ts',
        from: lines('          and assigned_at is null', '        for update skip locked)'),
        to: '        for update skip locked)',
      },
    ],
    harm: 'Two invoices that are opened shortly after each other get the same address, and what the payer of the first sends there is credited to the second.',
  },
  {
    name: 'invoices/paid-before-confirmation',
    file: 'payments/invoices/status.ts',
    from: "rules.paidWhen === 'confirmed' ? inTime.filter(({ confirmed }) => confirmed) : inTime",
    to: 'inTime',
    harm: 'A merchant that waits for confirmed payments is told that an invoice is paid when its payment is in the first block, which a reorganisation can still drop.',
  },
  {
    name: 'invoices/stays-paid-after-reorganisation',
    file: 'payments/deposits/recording/undo-blocks.ts',
    from: 'const invoiceEvents = await settleTouched(methods, tx, undone)',
    to: 'const invoiceEvents: readonly NewEvent[] = []',
    harm: 'An invoice whose payment a reorganisation drops stays paid, and its merchant is not told that the payment is gone.',
  },
  {
    name: 'invoices/expired-quote-in-force',
    file: 'payments/invoices/addresses/quote.ts',
    from: 'quote.quotedAt <= at && at < quote.expiresAt',
    to: 'quote.quotedAt <= at',
    harm: 'A payer that waits until the price has fallen still pays at the expired quote, so the merchant gets less than the invoice says.',
  },
]
