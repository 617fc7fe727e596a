/** The processes that deliver webhooks. */
import { randomFraction } from '../../src/core/chance.ts'
import { systemClock } from '../../src/core/clock.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import type { Life } from '../scheduler/life.ts'
import { fixed } from './fixed.ts'
import type { Handles } from './handles.ts'
import type { Job } from './processes.ts'
import type { Receivers } from './receivers.ts'

/** The name of the service in the headers of deliveries. */
export const serviceName = 'Simulated'

const never = new AbortController().signal

export function openDispatcher(
  { db, log }: Handles,
  { receivers, life }: { readonly receivers: Receivers; readonly life: Life },
  incarnation: () => number | undefined,
): Dispatcher {
  return new Dispatcher({
    db,
    log,
    serviceName,
    incarnation,
    clock: systemClock,
    agent: receivers.agentFor(life),
    random: randomFraction,
    openSecret: (sealed, merchantId) => fixed.sealer.open(sealed, webhookSecretContext(merchantId)),
  })
}

export function dispatcherJobs(dispatcher: Dispatcher): readonly Job[] {
  return [{ name: 'deliver', everyMs: dispatcher.idleMs, run: () => dispatcher.runBatch(never) }]
}
