import { factKind } from '../../core/committed-facts.ts'
import type { EventType } from './event.ts'

/** Of an event that this process wrote: its place in the merchant's history. */
export interface WrittenEvent {
  readonly sequence: number
  readonly type: EventType
}

/** An event that this process wrote, or one that it delivered for another. */
export const eventFacts = factKind<WrittenEvent | 'delivered'>('event')
