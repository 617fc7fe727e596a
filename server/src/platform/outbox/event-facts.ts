import { factKind } from '../../core/committed-facts.ts'
import type { EventType } from './event.ts'

/** An event that this process wrote, with its number in the merchant's history. */
export interface WrittenEvent {
  readonly sequence: number
  readonly type: EventType
}

/**
 * What this process remembers about an event after a commit, in case the database loses it: that this process
 * wrote the event, or that it delivered an event that any process wrote.
 */
export const eventFacts = factKind<WrittenEvent | 'delivered'>('event')
