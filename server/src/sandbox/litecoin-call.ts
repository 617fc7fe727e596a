import { call, resultOf } from '../chains/json-rpc.ts'
import { openCoreRpc } from '../chains/utxo/core-calls.ts'

/** A wallet of the sandbox's litecoind that acts as a customer. It does not belong to Coffer. */
export const faucetWallet = 'faucet'

/** The wallet that acts as the operator. Its payments to hot wallets are the operator's own money. */
export const operatorsWallet = 'operator'

const timeoutMs = 10_000

/**
 * Makes one call to the sandbox's litecoind. Rejects with the node's message if the node returns an error,
 * and rejects after ten seconds without an answer.
 */
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

/** Returns the URL of a wallet of the node at `url`. */
export function walletUrl(url: string, wallet: string): string {
  const at = new URL(url)
  at.pathname = `/wallet/${wallet}`
  return at.href
}
