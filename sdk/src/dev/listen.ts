/** Forwards a merchant's events to a receiver on the developer's machine. */
import { type Client, createClient } from '../client.ts'
import type { CofferEvent } from '../event.ts'
import { pause } from '../pause.ts'
import { deliveryHeaders } from '../webhook-signature.ts'
import { clientOptions, findMerchant, findServiceName, secretOf } from './connect.ts'
import { eventLine } from './event-line.ts'
import { followEvents } from './follow-events.ts'
import { isUnreached, type Outcome, post } from './post.ts'
import type { ListenOrder } from './read-order.ts'
import { coloured, plain, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export interface Surroundings {
  readonly terminal: Terminal
  /** Ends it, after what is on its way. */
  readonly signal: AbortSignal
  readonly restMs?: number
}

/**
 * Runs until the signal, and resolves then.
 * @throws CofferError when the server refuses, or does not answer at the beginning; UsageError
 */
export async function listen(order: ListenOrder, surroundings: Surroundings): Promise<void> {
  const { terminal, signal } = surroundings
  const coffer = createClient(clientOptions(order))
  const session = await openSession(coffer, order)
  let last = session.after
  let incarnation: number | undefined
  const onIncarnation = (told: number) => {
    incarnation = told
  }
  announce(order, session, terminal)
  try {
    for await (const event of followed({ coffer, ...session, order, onIncarnation }, surroundings)) {
      if (order.types?.has(event.type) ?? true) {
        const outcome = await forwarded(event, { ...session, incarnation }, { order, surroundings })
        terminal.print(eventLine(terminal, { ...event, at: new Date() }, outcome))
      }
      last = event.sequence
      if (signal.aborted) break
    }
  } catch (error) {
    if (!signal.aborted) {
      if (!(error instanceof UsageError))
        terminal.note(`Ended after event ${last}; --from ${last} goes on from there.`)
      throw error
    }
  }
  terminal.note(`Ended after event ${last}; --from ${last} goes on from there.`)
}

interface Session {
  readonly merchantID: string
  readonly serviceName: string
  readonly secret: string
  /** The last event that is not wanted. */
  readonly after: number
}

async function openSession(coffer: Client, order: ListenOrder): Promise<Session> {
  const merchantID = await findMerchant(coffer, order)
  const { last } = await coffer.listEvents({ merchantID, limit: 1 })
  const after = order.from === 'now' ? last : order.from
  if (after > last) throw new UsageError(`--from ${after}: the newest event is ${last}.`)
  const serviceName = order.serviceName ?? (await findServiceName(coffer))
  return { merchantID, serviceName, secret: order.secret ?? (await secretOf(order, merchantID)), after }
}

function announce(order: ListenOrder, { merchantID, secret, after }: Session, terminal: Terminal): void {
  terminal.note(`Listening at ${order.url} to the events of merchant ${merchantID} after event ${after}.`)
  // What was given is known to whoever gave it, and screens and logs are seen by others.
  const signedWith =
    order.secret === undefined ? coloured(terminal, 'bold', secret) : 'the secret that you gave.'
  terminal.note(`Forwarding to ${order.forward.href}, signed with ${signedWith}`)
  if (order.secret === undefined)
    terminal.note('Have your receiver verify with that secret: it stays the same for as long as your key.')
  terminal.note('Ctrl-C ends it.')
}

interface FollowedFeed extends Session {
  readonly coffer: Client
  readonly order: ListenOrder
  readonly onIncarnation: (incarnation: number) => void
}

function followed(
  { coffer, merchantID, after, order, onIncarnation }: FollowedFeed,
  { terminal, ...surroundings }: Surroundings,
): AsyncGenerator<CofferEvent, never> {
  const onLost = ({ detail }: Error & { readonly detail: string }) =>
    terminal.note(
      coloured(terminal, 'yellow', `${order.url} does not tell events (${plain(detail)}). Trying again.`),
    )
  const onBack = () => terminal.note(`${order.url} tells events again.`)
  const onForgotten = (sequence: number) =>
    terminal.note(
      coloured(
        terminal,
        'yellow',
        `${order.url} lost the events after ${sequence}, by a restore or a failover. New ones follow under higher numbers.`,
      ),
    )
  return followEvents(
    { coffer, merchantID, onLost, onBack, onForgotten, onIncarnation, ...surroundings },
    after,
  )
}

/** Signed anew for each try, as a server does. While nobody is there to receive, the event waits. */
async function forwarded(
  event: CofferEvent,
  { secret, serviceName, incarnation }: Session & { readonly incarnation: number | undefined },
  { order, surroundings }: { readonly order: ListenOrder; readonly surroundings: Surroundings },
): Promise<Outcome> {
  const { terminal, signal, restMs = 1_000 } = surroundings
  // The server's text was made by JSON.stringify, so that this gives the very same.
  const body = JSON.stringify(event)
  for (let tries = 1; ; tries += 1) {
    const parts = { secret, serviceName, id: event.id, token: 'coffer-dev', body, sentAt: new Date() }
    const told = incarnation === undefined ? {} : { [`X-${serviceName}-Incarnation`]: String(incarnation) }
    const outcome = await post(order.forward, {
      headers: { ...(await deliveryHeaders(parts)), ...told },
      body,
    })
    if (!isUnreached(outcome)) return outcome
    if (tries === 1) {
      const note = `Nothing listens at ${order.forward.href} (${outcome.error}): event ${event.sequence} waits until something does.`
      terminal.note(coloured(terminal, 'yellow', note))
    }
    await pause(restMs, signal)
  }
}
