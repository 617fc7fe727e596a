/** What a list of transactions may be narrowed to; an absent filter does not narrow. */
export interface TransactionFilter {
  readonly merchantId: string
  readonly states?: readonly string[]
  readonly createdFrom?: Date
  readonly createdTo?: Date
  readonly paymentMethodIds?: readonly number[]
  readonly invoiceIds?: readonly string[]
}
