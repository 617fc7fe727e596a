import type { components } from './generated.ts'

/**
 * An event of a merchant, as webhooks and the event feed deliver it. `type` determines the fields of `data`.
 */
export type CofferEvent = components['schemas']['Event']

export type EventType = CofferEvent['type']

/** The events of one type. */
export type EventOf<T extends EventType> = Extract<CofferEvent, { readonly type: T }>
