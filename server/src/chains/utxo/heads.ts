import { systemClock } from '../../core/clock.ts'
import { call, field, type Rpc, resultOf } from '../json-rpc.ts'
import { openCoreRpc } from './core-calls.ts'

const restMsMin = 1_000
const restMsMax = 60_000
/** Maximum time for which the node holds one request while there is no new block. */
const waitMs = 20_000
const slackMs = 10_000

/**
 * Calls `onHead` for each new block by long polling (`waitfornewblock`). While the node does not answer or
 * lacks the method, the call is repeated with a growing delay. Failures are not reported, because callers
 * also poll for heads.
 */
export function watchHeads(url: string, onHead: () => void, signal: AbortSignal): void {
  void watchUntilAborted(url, onHead, signal)
}

async function watchUntilAborted(url: string, onHead: () => void, signal: AbortSignal): Promise<void> {
  // The long poll has a connection of its own, so that no other request must wait for it.
  const rpc = openCoreRpc(url, { connections: 1 })
  let last: unknown
  let restMs = restMsMin
  while (!signal.aborted) {
    const hash = await waitForBlock(rpc, signal)
    if (hash === undefined) {
      await systemClock.sleep(restMs, signal)
      restMs = Math.min(restMs * 2, restMsMax)
      continue
    }
    restMs = restMsMin
    if (last !== undefined && hash !== last) onHead()
    last = hash
  }
  await rpc.close()
}

async function waitForBlock(rpc: Rpc, signal: AbortSignal): Promise<unknown> {
  try {
    const { answers } = await rpc.ask([call('waitfornewblock', waitMs)], signal, waitMs + slackMs)
    return field(resultOf(answers[0], 'waitfornewblock'), 'hash')
  } catch {
    return undefined
  }
}
