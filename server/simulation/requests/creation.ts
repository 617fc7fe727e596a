import type { Dice } from '../dice.ts'
import type { Answered } from '../world/answered.ts'
import type { ApiParts } from '../world/processes.ts'

/** A request that creates something. */
export interface Creation {
  readonly kind: 'order' | 'invoice'
  readonly merchantId: string
  readonly path: string
  /** The body of the request, as a client sends it. */
  readonly body: Readonly<Record<string, unknown>>
  /** Runs the use case and returns the id that the answer contains. */
  create(parts: ApiParts, id: string): Promise<string>
  /** Called with the id of a successful answer, whenever the caller receives one. */
  receive(parts: ApiParts, id: string, answered: Answered): Promise<void>
  /** Returns a request of the same merchant with another body. */
  changed(dice: Dice): Creation
}
