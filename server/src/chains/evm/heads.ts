import { type MessageEvent, WebSocket } from 'undici'
import { systemClock } from '../../core/clock.ts'
import { field } from '../json-rpc.ts'

const reconnectMsMin = 1_000
const reconnectMsMax = 60_000

/**
 * Subscribes to new heads over WebSocket, at the URL that corresponds to a node's HTTP URL. Whenever the
 * connection is lost or refused, the subscription is repeated after a growing delay. Failures are not
 * reported, because callers also poll for heads.
 */
export function watchHeads(httpUrl: string, onHead: () => void, signal: AbortSignal): void {
  void watchUntilAborted(httpUrl.replace(/^http/, 'ws'), onHead, signal)
}

async function watchUntilAborted(url: string, onHead: () => void, signal: AbortSignal): Promise<void> {
  let restMs = reconnectMsMin
  while (!signal.aborted) {
    const heard = await listen(url, onHead, signal)
    restMs = heard ? reconnectMsMin : Math.min(restMs * 2, reconnectMsMax)
    await systemClock.sleep(restMs, signal)
  }
}

/** Listens until the connection ends. Resolves to true if at least one head was received. */
function listen(url: string, onHead: () => void, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    let heard = false
    const socket = new WebSocket(url)
    const close = () => socket.close()
    signal.addEventListener('abort', close, { once: true })
    socket.addEventListener('open', () => socket.send(subscription))
    socket.addEventListener('message', (event) => {
      if (!isHead(event)) return
      heard = true
      onHead()
    })
    // The event `close` follows every error. This listener only keeps the error from being thrown.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', close)
      resolve(heard)
    })
  })
}

const subscription = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })

function isHead(event: MessageEvent): boolean {
  try {
    return typeof event.data === 'string' && field(JSON.parse(event.data), 'method') === 'eth_subscription'
  } catch {
    return false
  }
}
