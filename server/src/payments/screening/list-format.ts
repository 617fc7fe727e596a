/**
 * Thrown if the content is not a sanctions list, or not a complete list. The message gives the operator the
 * reason.
 */
export class ListFormatError extends Error {
  override readonly name = 'ListFormatError'
}
