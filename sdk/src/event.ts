import type { components } from './generated.ts'

/** What happened to a merchant, as webhooks and the feed of events tell it; `type` says what `data` holds. */
export type CofferEvent = components['schemas']['Event']

export type EventType = CofferEvent['type']

/** The events of one type. */
export type EventOf<T extends EventType> = Extract<CofferEvent, { readonly type: T }>
