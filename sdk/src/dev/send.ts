import { signTestEvent } from '../sign-test-event.ts'
import { eventLine } from './event-line.ts'
import { isTaken, post } from './post.ts'
import type { SendOrder } from './read-order.ts'
import type { Terminal } from './terminal.ts'

/** Posts one invented event and returns whether the receiver accepted it. */
export async function send(order: SendOrder, terminal: Terminal): Promise<boolean> {
  const { type, secret, serviceName, forward } = order
  const { event, headers, body } = await signTestEvent({ type, secret, serviceName })
  const outcome = await post(forward, { headers, body })
  terminal.print(eventLine(terminal, { ...event, at: new Date() }, outcome))
  return isTaken(outcome)
}
