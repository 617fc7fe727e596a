/** The requests to delete invoices, and whether the invoices are deleted. */

export interface Deletion {
  readonly invoiceId: string
  /** The answer; undefined as long as there is none. A killed API may have deleted the invoice and not answered. */
  answer: 'deleted' | 'rejected' | undefined
}

/** Returns true if the API answered that it deleted the invoice. */
export function isDeleted(deletions: readonly Deletion[], invoiceId: string): boolean {
  return deletions.some((one) => one.invoiceId === invoiceId && one.answer === 'deleted')
}

/** Returns true if the API may have deleted the invoice: it had a request to do so, and did not reject it. */
export function mayBeDeleted(deletions: readonly Deletion[], invoiceId: string): boolean {
  return deletions.some((one) => one.invoiceId === invoiceId && one.answer !== 'rejected')
}
