import type { Static, TObject } from 'typebox'
import type { EventType, NewEvent } from './event.ts'

/** Declares an event type: what data the event has, and when the event is sent. */
export interface EventKind<T extends EventType = EventType, D extends TObject = TObject> {
  readonly type: T
  /** When the event is sent, in sentences for merchants. */
  readonly fires: string
  /** The fields of the data, with descriptions. Texts have a maximum length, to keep deliveries small. */
  readonly data: D
}

/** Declares a kind of event. `eventOf` makes events of this kind. */
export function eventKind<const T extends EventType, D extends TObject>(
  kind: EventKind<T, D>,
): EventKind<T, D> {
  return kind
}

/**
 * The occasion of an event: its merchant, the subject that identifies it for ever, and the time when it
 * happened.
 */
export type EventOccasion = Pick<NewEvent, 'merchantId' | 'subject' | 'occurredAt'>

/**
 * Makes an event with the data that its kind declares. A missing, wrong or undeclared field does not compile.
 */
export function eventOf<D extends TObject, A extends Static<D>>(
  { type }: EventKind<EventType, D>,
  { merchantId, subject, occurredAt }: EventOccasion,
  data: A & { readonly [N in Exclude<keyof A, keyof Static<D>>]: never },
): NewEvent {
  return { merchantId, type, subject, occurredAt, data }
}
