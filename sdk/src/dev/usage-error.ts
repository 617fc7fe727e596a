/** The command line is invalid; the message says what to enter instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
