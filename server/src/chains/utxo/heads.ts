import { systemClock } from '../../core/clock.ts'
import { call, field, type Rpc, resultOf } from '../json-rpc.ts'
import { openCoreRpc } from './core-calls.ts'

const restMsMin = 1_000
const restMsMax = 60_000
/** How long one question waits for a block at the node. */
const waitMs = 20_000
const slackMs = 10_000

/**
 * Asks the node to answer once it has a new block (`waitfornewblock`), again and again, ever more rarely while it does
 * not answer or knows no such call. Silent on failure: heads are hints, and whoever listens also polls.
 */
export function watchHeads(url: string, onHead: () => void, signal: AbortSignal): void {
  void watchUntilAborted(url, onHead, signal)
}

async function watchUntilAborted(url: string, onHead: () => void, signal: AbortSignal): Promise<void> {
  // A connection of its own: whatever else is asked must not wait behind a question that waits.
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
