import { systemClock } from '../core/clock.ts'

const answerTimeoutMs = 2_000
const readyTimeoutMs = 30_000
const pollMs = 250

/**
 * Whether a Coffer answers at `url`; one that is still starting is waited for.
 * @throws when it does not become ready
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

type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'waiting'; readonly reason: string }
  | { readonly type: 'absent' }

/** Anything that does not answer as Coffer does is none. */
async function askReadiness(url: string, signal: AbortSignal): Promise<Readiness> {
  try {
    const timeout = AbortSignal.timeout(answerTimeoutMs)
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.any([signal, timeout]) })
    const answer = (await response.json()) as { status?: unknown; code?: unknown; detail?: unknown } | null
    if (response.status === 200 && answer?.status === 'ready') return { type: 'ready' }
    const isOurs = response.status === 503 && typeof answer?.code === 'string'
    return isOurs ? { type: 'waiting', reason: String(answer?.detail) } : { type: 'absent' }
  } catch {
    signal.throwIfAborted()
    return { type: 'absent' }
  }
}
