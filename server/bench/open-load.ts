/**
 * Generates load on an API, in two ways. The closed load sends the next request when the previous one is
 * answered. In the open load, requests are due at fixed times, even if earlier ones were not answered. The
 * duration of a request starts when it is due. If the server stalls, all requests of that time are therefore
 * measured as slow (no coordinated omission).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Returns the request with the number `index`. */
export type Workload = (index: number) => LoadRequest

export interface Load {
  /**
   * Returns the answers per second. Each connection sends its next request as soon as it has received an
   * answer.
   */
  saturate(workload: Workload, durationMs: number): Promise<number>
  /** Sends requests at a fixed rate and returns the duration of each, in milliseconds. */
  arrive(workload: Workload, ratePerSecond: number, durationMs: number): Promise<readonly number[]>
  /** Sends `count` requests as fast as answers arrive, and returns the answers per second. */
  ask(workload: Workload, from: number, count: number): Promise<number>
  close(): Promise<void>
}

const connections = 32
const tickMs = 1

export function openLoad(url: string): Load {
  const pool = new Pool(url, { connections, pipelining: 1 })
  let next = 0

  const send = async (request: LoadRequest): Promise<void> => {
    const { statusCode, body } = await pool.request(request)
    if (statusCode < 300) return body.dump()
    throw new Error(`${request.method} ${request.path} answers ${statusCode}: ${await body.text()}`)
  }

  const askAgain = async (isOver: () => boolean, ask: () => Promise<void>): Promise<number> => {
    const startedMs = performance.now()
    let answers = 0
    const caller = async () => {
      while (!isOver()) {
        await ask()
        answers += 1
      }
    }
    await Promise.all(Array.from({ length: connections }, caller))
    return (answers / (performance.now() - startedMs)) * 1000
  }

  return {
    saturate: (workload, durationMs) => {
      const untilMs = performance.now() + durationMs
      return askAgain(
        () => performance.now() >= untilMs,
        () => send(workload(next++)),
      )
    },
    ask: (workload, from, count) => {
      let asked = 0
      return askAgain(
        () => asked >= count,
        () => send(workload(from + asked++)),
      )
    },
    arrive: async (workload, ratePerSecond, durationMs) => {
      const tookMs: number[] = []
      const underWay: Promise<void>[] = []
      const startedMs = performance.now()
      const due = Math.floor((ratePerSecond * durationMs) / 1000)
      for (let index = 0; index < due; ) {
        const isDue = () => startedMs + (index * 1000) / ratePerSecond <= performance.now()
        for (; index < due && isDue(); index += 1) {
          const dueMs = startedMs + (index * 1000) / ratePerSecond
          const answered = send(workload(next++)).then(() => void tookMs.push(performance.now() - dueMs))
          // The promise is awaited later. Until then, its rejection must not count as unhandled.
          answered.catch(() => {})
          underWay.push(answered)
        }
        await sleep(tickMs)
      }
      await Promise.all(underWay)
      return tookMs
    },
    close: () => pool.close(),
  }
}
