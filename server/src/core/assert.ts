/** A broken invariant: a fault of ours, never of the caller. The operation stops rather than go on wrong. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** Narrows away `undefined` and `null` where their presence would be our own fault. */
export function required<T>(value: T | null | undefined, what: string): T {
  assert(value !== undefined && value !== null, `${what} is missing`)
  return value
}
