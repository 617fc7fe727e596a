/** What was typed cannot be done; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
