import { withinTime } from '../core/concurrency/linked-signal.ts'

/**
 * Makes one JSON-RPC call to the dev chain. Rejects with the node's message if the node returns an error, and
 * rejects after five seconds without an answer.
 */
export async function callNode(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  const answer = await withinTime(signal === undefined ? [] : [signal], 5_000, async (bounded) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: bounded,
    })
    return (await response.json()) as { result?: unknown; error?: { message: string } }
  })
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}
