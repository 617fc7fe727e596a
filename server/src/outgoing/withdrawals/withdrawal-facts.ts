import { factKind } from '../../core/committed-facts.ts'

/** An order that this process stored and remembers, in case the database loses the order. */
export interface OrderedWithdrawal {
  /** The `withdraw` invoice that the order pays. Undefined for a merchant's own order. */
  readonly invoiceId: string | undefined
}

export const withdrawalFacts = factKind<OrderedWithdrawal>('withdrawal')
