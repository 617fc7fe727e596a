/** One JSON-RPC call to the dev chain. Rejects with the node's words when it refuses, and after five seconds. */
export async function callNode(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(5_000)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}
