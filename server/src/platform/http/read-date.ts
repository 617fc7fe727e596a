import { failField } from '../../core/errors.ts'
import { parseInstant } from '../../core/instant.ts'

/**
 * Parses one end of a range. A date alone is the start (`from`) or end (`to`) of its day.
 * @throws Problem invalid-request naming `pointer`
 */
export function readDate(pointer: string, text: string, edge: 'from' | 'to'): Date {
  const at = parseInstant(text, edge)
  if (at === undefined)
    throw failField(
      pointer,
      'must be an ISO 8601 date, such as 2026-01-31T12:00:00Z; without an offset it is UTC',
    )
  return at
}
