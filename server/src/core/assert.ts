/**
 * A violated invariant. This is always a bug in Coffer, never a mistake of the caller. The error stops the
 * operation, because the operation must not continue in a wrong state.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/**
 * Returns `value`. Call it where `value` can be missing only because of a bug in Coffer.
 * @throws InvariantError if `value` is `undefined` or `null`
 */
export function required<T>(value: T | null | undefined, what: string): T {
  assert(value !== undefined && value !== null, `${what} is missing`)
  return value
}
