/** The filters of a list of deposits. An absent filter matches everything. */
export interface DepositFilter {
  readonly merchantId: string
  readonly states?: readonly string[]
  readonly createdFrom?: Date
  readonly createdTo?: Date
  readonly paymentMethodIds?: readonly number[]
  readonly invoiceIds?: readonly string[]
}
