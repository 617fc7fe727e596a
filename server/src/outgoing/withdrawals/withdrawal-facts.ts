import { factKind } from '../../core/committed-facts.ts'

/** Of an order that this process acknowledged. */
export interface OrderedWithdrawal {
  /** The invoice whose claim it pays; undefined where a merchant ordered it. */
  readonly invoiceId: string | undefined
}

export const withdrawalFacts = factKind<OrderedWithdrawal>('withdrawal')
