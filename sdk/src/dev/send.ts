import type { EventType } from '../event.ts'
import { samples } from '../sample-events.ts'
import { signTestEvent } from '../sign-test-event.ts'
import { eventLine } from './event-line.ts'
import { isTaken, post } from './post.ts'
import type { SendOrder } from './read-order.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Posts one made-up event; whether the receiver took it. @throws UsageError for a type that there is not */
export async function send(order: SendOrder, terminal: Terminal): Promise<boolean> {
  const { type, secret, serviceName, forward } = order
  if (!isEventType(type))
    throw new UsageError(`There is no event "${type}". There are: ${Object.keys(samples).join(', ')}.`)
  const { event, headers, body } = await signTestEvent({ type, secret, serviceName })
  const outcome = await post(forward, { headers, body })
  terminal.print(eventLine(terminal, { ...event, at: new Date() }, outcome))
  return isTaken(outcome)
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(samples, type)
}
