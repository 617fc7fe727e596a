import { factKind } from '../../core/committed-facts.ts'
import type { EventType } from './event.ts'

/** An event that this process wrote, with its number in the merchant's history. */
export interface WrittenEvent {
  readonly sequence: number
  readonly type: EventType
}

/** The facts about events: this process wrote an event, or delivered an event that any process wrote. */
export const eventFacts = factKind<WrittenEvent | 'delivered'>('event')
