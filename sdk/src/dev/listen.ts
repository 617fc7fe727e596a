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
  /** Ends the command after the event that is being forwarded. */
  readonly signal: AbortSignal
  readonly restMs?: number
}

/**
 * Forwards events until the signal is aborted, and then resolves.
 * @throws CofferError if the server rejects a request, or does not answer at the start
 * @throws UsageError if the merchant cannot be determined, or if the server's newest event has a lower number
 *   than `--from` or than the last event that was read
 */
export async function listen(order: ListenOrder, surroundings: Surroundings): Promise<void> {
  const { terminal, signal } = surroundings
  const coffer = createClient(clientOptions(order))
  const session = await openSession(coffer, order)
  let last = session.after
  let incarnation: number | undefined
  const onIncarnation = (seen: number) => {
    incarnation = seen
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
        terminal.note(`Ended after event ${last}; continue with --from ${last}.`)
      throw error
    }
  }
  terminal.note(`Ended after event ${last}; continue with --from ${last}.`)
}

interface Session {
  readonly merchantID: string
  readonly serviceName: string
  readonly secret: string
  /** The sequence number after which events are forwarded. */
  readonly after: number
}

async function openSession(coffer: Client, order: ListenOrder): Promise<Session> {
  const merchantID = await findMerchant(coffer, order)
  const { last } = await coffer.listEvents({ merchantID, limit: 1 })
  const after = order.from === 'now' ? last : order.from
  if (after > last) throw new UsageError(`--from ${after} is too large: the newest event is ${last}.`)
  const serviceName = order.serviceName ?? (await findServiceName(coffer))
  return { merchantID, serviceName, secret: order.secret ?? (await secretOf(order, merchantID)), after }
}

function announce(order: ListenOrder, { merchantID, secret, after }: Session, terminal: Terminal): void {
  terminal.note(`Listening at ${order.url} to the events of merchant ${merchantID} after event ${after}.`)
  // A secret that the user gave is not printed, because other people may see screens and logs.
  const signedWith =
    order.secret === undefined ? coloured(terminal, 'bold', secret) : 'the secret that you gave.'
  terminal.note(`Forwarding to ${order.forward.href}, signed with ${signedWith}`)
  if (order.secret === undefined)
    terminal.note('Configure this secret in your receiver: it stays the same as long as your key does.')
  terminal.note('Press Ctrl-C to stop.')
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
      coloured(
        terminal,
        'yellow',
        `Events cannot be read from ${order.url} (${plain(detail)}). Trying again.`,
      ),
    )
  const onBack = () => terminal.note(`Events can be read from ${order.url} again.`)
  const onForgotten = (sequence: number) =>
    terminal.note(
      coloured(
        terminal,
        'yellow',
        `${order.url} lost the events after ${sequence} in a restore or a failover. New events have higher numbers.`,
      ),
    )
  return followEvents(
    { coffer, merchantID, onLost, onBack, onForgotten, onIncarnation, ...surroundings },
    after,
  )
}

/**
 * Forwards one event. Each attempt has a new signature, as with a real server. If the receiver cannot be
 * reached, the request is repeated until it can.
 */
async function forwarded(
  event: CofferEvent,
  { secret, serviceName, incarnation }: Session & { readonly incarnation: number | undefined },
  { order, surroundings }: { readonly order: ListenOrder; readonly surroundings: Surroundings },
): Promise<Outcome> {
  const { terminal, signal, restMs = 1_000 } = surroundings
  // The server creates the body of a webhook request with JSON.stringify too. The receiver therefore gets the
  // same text from this command as from the server.
  const body = JSON.stringify(event)
  for (let tries = 1; ; tries += 1) {
    const parts = { secret, serviceName, id: event.id, token: 'coffer-dev', body, sentAt: new Date() }
    const incarnationHeader =
      incarnation === undefined ? {} : { [`X-${serviceName}-Incarnation`]: String(incarnation) }
    const outcome = await post(order.forward, {
      headers: { ...(await deliveryHeaders(parts)), ...incarnationHeader },
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
