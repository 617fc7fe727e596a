import { systemClock } from '../core/clock.ts'
import { withinTime } from '../core/concurrency/linked-signal.ts'

const answerTimeoutMs = 2_000
const readyTimeoutMs = 30_000
const pollMs = 250

/**
 * Decides whether a Coffer answers at `url`. It waits for a Coffer that is still starting.
 * @throws Error if that Coffer does not become ready within 30 s
 */
export async function isCofferAt(url: string, signal: AbortSignal): Promise<boolean> {
  const giveUpAt = performance.now() + readyTimeoutMs
  for (;;) {
    const answer = await askReadiness(url, signal)
    if (answer.type === 'ready') return true
    if (answer.type === 'absent') return false
    if (performance.now() > giveUpAt) throw new Error(`Coffer at ${url} is not ready: ${answer.reason}`)
    await systemClock.sleep(pollMs, signal)
    signal.throwIfAborted()
  }
}

interface ReadinessAnswer {
  readonly status?: unknown
  readonly code?: unknown
  readonly detail?: unknown
}

type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'waiting'; readonly reason: string }
  | { readonly type: 'absent' }

/**
 * Asks a server for its readiness. If there is no answer, or if the answer is not in Coffer's form, the
 * server counts as absent.
 */
async function askReadiness(url: string, signal: AbortSignal): Promise<Readiness> {
  try {
    const { status, answer } = await withinTime([signal], answerTimeoutMs, async (bounded) => {
      const response = await fetch(`${url}/readyz`, { signal: bounded })
      return { status: response.status, answer: (await response.json()) as ReadinessAnswer | null }
    })
    if (status === 200 && answer?.status === 'ready') return { type: 'ready' }
    const isStarting = status === 503 && typeof answer?.code === 'string'
    return isStarting ? { type: 'waiting', reason: String(answer?.detail) } : { type: 'absent' }
  } catch {
    signal.throwIfAborted()
    return { type: 'absent' }
  }
}
