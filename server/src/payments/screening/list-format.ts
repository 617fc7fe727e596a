/** What was read is no sanctions list, or not all of one; the message says why, for an operator. */
export class ListFormatError extends Error {
  override readonly name = 'ListFormatError'
}
