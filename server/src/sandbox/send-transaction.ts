import { callNode } from './node-call.ts'

/**
 * Sends a transaction from an unlocked dev account and returns its hash. On a chain without base fees it states the
 * price of gas, because anvil otherwise fills in fields of EIP-1559, which it then rejects.
 * @throws Error with the node's message if the node rejects the transaction
 */
export async function sendTransaction(
  nodeUrl: string,
  transaction: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  const head = (await callNode(nodeUrl, 'eth_getBlockByNumber', ['latest', false], signal)) as {
    readonly baseFeePerGas?: unknown
  } | null
  const price =
    head?.baseFeePerGas === undefined ? { gasPrice: await callNode(nodeUrl, 'eth_gasPrice', [], signal) } : {}
  return String(await callNode(nodeUrl, 'eth_sendTransaction', [{ ...transaction, ...price }], signal))
}
