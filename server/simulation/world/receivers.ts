/**
 * The servers of merchants that receive webhooks, and the network between them and the dispatchers. A request
 * parks (waits for the scheduler) before it arrives, and its answer parks before the dispatcher receives it.
 * Either can therefore be lost.
 */
import type { Dispatcher as Agent } from 'undici'
import { startTimer } from '../../src/core/clock.ts'
import type { ReceivedRequest } from '../model/webhooks.ts'
import type { SimulatedTime } from '../ports/simulated-time.ts'
import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'

/** The way in which a receiver handles a request. Without a status, the connection breaks. */
interface Treatment {
  readonly status?: number
  readonly retryAfterS?: number
  readonly afterMs?: number
  readonly hasArrived: boolean
}

export type ReceiverConduct =
  | 'answers'
  | 'answers slowly'
  | 'answers after the deadline'
  | 'fails'
  | 'is busy'
  | 'redirects'
  | 'breaks off'
  | 'is away'
  | 'is gone'

const treatments: Readonly<Record<ReceiverConduct, Treatment>> = {
  answers: { status: 200, hasArrived: true },
  'answers slowly': { status: 204, hasArrived: true, afterMs: 3_000 },
  'answers after the deadline': { status: 200, hasArrived: true, afterMs: 20_000 },
  fails: { status: 500, hasArrived: true },
  'is busy': { status: 503, retryAfterS: 120, hasArrived: true },
  redirects: { status: 302, hasArrived: true },
  'breaks off': { hasArrived: true },
  'is away': { hasArrived: false },
  'is gone': { status: 410, hasArrived: true },
}

export class Receivers {
  readonly #scheduler: Scheduler
  readonly #time: SimulatedTime
  readonly #note: (request: ReceivedRequest) => void
  readonly #conducts = new Map<string, ReceiverConduct>()

  /** @param note called with each request that arrives at a receiver */
  constructor(scheduler: Scheduler, time: SimulatedTime, note: (request: ReceivedRequest) => void) {
    this.#scheduler = scheduler
    this.#time = time
    this.#note = note
  }

  conduct(host: string, conduct: ReceiverConduct): void {
    this.#conducts.set(host, conduct)
  }

  /** Makes all receivers answer normally. */
  heal(): void {
    this.#conducts.clear()
  }

  /** Returns the agent with which a dispatcher sends its requests. */
  agentFor(life: Life): Agent {
    const dispatch = (options: Agent.DispatchOptions, handler: Agent.DispatchHandler) => {
      void new Exchange(options, handler).run((exchange) => this.#serve(life, exchange))
      return true
    }
    return { dispatch } as unknown as Agent
  }

  async #serve(life: Life, exchange: Exchange): Promise<void> {
    const { host, request } = exchange
    const sentMs = this.#time.trueMs
    const senderClockMs = this.#time.wallMsOf(life.name)
    const receive = async (): Promise<Treatment | undefined> => {
      if (exchange.isBrokenOff) return undefined
      const conduct = this.#conducts.get(host) ?? 'answers'
      const treatment = treatments[conduct]
      const isConfirmed = conduct === 'answers' || conduct === 'answers slowly'
      if (treatment.hasArrived) this.#note({ ...request, sentMs, senderClockMs, isConfirmed })
      return treatment
    }
    const treatment = await this.#scheduler.step({ life, label: `webhook to ${host}`, run: receive })
    if (treatment === undefined) return
    if (treatment.afterMs !== undefined) await passed(treatment.afterMs)
    await this.#scheduler.step({ life, label: `answer of ${host}`, run: async () => {} })
    exchange.end(treatment)
  }
}

/** One request, in the form that undici's `dispatch` uses. */
class Exchange {
  readonly host: string
  readonly request: Pick<ReceivedRequest, 'host' | 'headers' | 'body'>
  readonly #handler: Agent.DispatchHandler
  readonly #controller: Agent.DispatchController
  isBrokenOff = false

  constructor({ origin, headers, body }: Agent.DispatchOptions, handler: Agent.DispatchHandler) {
    this.host = new URL(String(origin)).host
    this.request = {
      host: this.host,
      headers: headers as Readonly<Record<string, string>>,
      body: String(body),
    }
    this.#handler = handler
    const abort = () => {
      this.isBrokenOff = true
    }
    this.#controller = { abort } as unknown as Agent.DispatchController
  }

  run(serve: (exchange: Exchange) => Promise<void>): Promise<void> {
    this.#handler.onRequestStart?.(this.#controller, undefined)
    return serve(this)
  }

  /** Passes the answer to the dispatcher, or an error if the connection broke. */
  end({ status, retryAfterS }: Treatment): void {
    if (this.isBrokenOff) return
    if (status === undefined) {
      const error = Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })
      this.#handler.onResponseError?.(this.#controller, error)
      return
    }
    const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
    this.#handler.onResponseStart?.(this.#controller, status, headers)
    this.#handler.onResponseEnd?.(this.#controller, {})
  }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    startTimer(resolve, ms)
  })
}
