/** Thrown if the command line is invalid. The message says what to enter instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
