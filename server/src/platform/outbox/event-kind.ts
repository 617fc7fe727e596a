import type { Static, TObject } from 'typebox'
import type { EventType, NewEvent } from './event.ts'

/** A type of event as its capability declares it: what it says, and when it is told. */
export interface EventKind<T extends EventType = EventType, D extends TObject = TObject> {
  readonly type: T
  /** When it is told, in sentences for merchants. */
  readonly fires: string
  /** Each field with its meaning. Texts are bounded, so that what is sent stays small. */
  readonly data: D
}

/** Declares a kind; makes its events with `eventOf`. */
export function eventKind<const T extends EventType, D extends TObject>(
  kind: EventKind<T, D>,
): EventKind<T, D> {
  return kind
}

/** Whom an event concerns, what names it for ever, and when it happened. */
export type EventOccasion = Pick<NewEvent, 'merchantId' | 'subject' | 'occurredAt'>

/** Makes an event that says what its kind declares: a missing, wrong or undeclared field does not compile. */
export function eventOf<D extends TObject, A extends Static<D>>(
  { type }: EventKind<EventType, D>,
  { merchantId, subject, occurredAt }: EventOccasion,
  data: A & { readonly [N in Exclude<keyof A, keyof Static<D>>]: never },
): NewEvent {
  return { merchantId, type, subject, occurredAt, data }
}
