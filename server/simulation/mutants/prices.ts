/** Faults in the prices and amounts that payers are asked for. */
import { lines, type Mutant } from '../mutant.ts'

export const priceMutants: readonly Mutant[] = [
  {
    name: 'prices/part-deducted-twice',
    file: 'payments/invoices/status.ts',
    from: 'const left = max(0n, share.denominator - share.numerator)',
    to: 'const left = max(0n, share.denominator - 2n * share.numerator)',
    harm: 'A payer who has paid a part of an invoice and asks again is asked for less than the rest, pays that, and the invoice still expires.',
  },
  {
    name: 'prices/renewed-at-old-price',
    file: 'payments/invoices/addresses/give-payment-address.ts',
    from: lines(
      '    const quote = newQuote(parts.db, checkout, method, rate)',
      '    await insertQuote(tx, quote, rate)',
    ),
    to: lines(
      '    const priceUsd = checkout.quote?.priceUsd ?? rate.priceUsd',
      '    const quote = newQuote(parts.db, checkout, method, { ...rate, priceUsd })',
      '    await insertQuote(tx, quote, rate)',
    ),
    harm: 'A payer who comes back after the quote has expired is asked for the old amount again, so the merchant gets less than the invoice says if the price has fallen.',
  },
]
