import { call, resultOf } from '../chains/json-rpc.ts'
import { openCoreRpc } from '../chains/utxo/core-calls.ts'

/** A wallet of the sandbox's litecoind. It is an outsider's: Coffer has nothing in it and asks it for nothing. */
export const outsidersWallet = 'outsider'

/** One that stands for the operator: what it pays to a hot wallet is the operator's own. */
export const operatorsWallet = 'operator'

const timeoutMs = 10_000

/** One call to the sandbox's litecoind. Rejects with the node's words when it refuses, and after ten seconds. */
export async function callLitecoin(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const rpc = openCoreRpc(url, { connections: 1 })
  try {
    const { answers } = await rpc.ask([call(method, ...params)], signal, timeoutMs)
    return resultOf(answers[0], method)
  } finally {
    await rpc.close()
  }
}

/** Where a wallet of the node at `url` is asked. */
export function walletUrl(url: string, wallet: string): string {
  const at = new URL(url)
  at.pathname = `/wallet/${wallet}`
  return at.href
}
