/** The operator's own money on the dev chain: what the last dev account gives to wallets that never had any. */
import { systemClock } from '../core/clock.ts'
import { callNode } from './node-call.ts'

/** 100 ETH for each wallet. */
const eachMinor = 100n * 10n ** 18n

/** The last of the node's unlocked accounts, in lower case; undefined where it has none. */
export async function findFunder(rpcUrl: string, signal: AbortSignal): Promise<string | undefined> {
  const accounts = (await callNode(rpcUrl, 'eth_accounts', [], signal)) as string[]
  return accounts.at(-1)?.toLowerCase()
}

/**
 * Sends to each wallet that holds nothing and never sent anything, and waits until it is mined. Two at once, or one that
 * follows on one that was killed, could pay twice for what is not mined yet, so the pending block is asked too.
 * @returns how many were funded
 */
export async function fundWallets(
  rpcUrl: string,
  funder: string,
  wallets: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const empty = await Promise.all(wallets.map((wallet) => isUnused(rpcUrl, wallet, signal)))
  const sent: unknown[] = []
  for (const wallet of wallets.filter((_, place) => empty[place])) {
    const value = `0x${eachMinor.toString(16)}`
    sent.push(await callNode(rpcUrl, 'eth_sendTransaction', [{ from: funder, to: wallet, value }], signal))
  }
  for (const txHash of sent) await untilMined(rpcUrl, txHash, signal)
  return sent.length
}

async function isUnused(url: string, wallet: string, signal: AbortSignal): Promise<boolean> {
  const asked = ['eth_getBalance', 'eth_getTransactionCount'].map((method) =>
    callNode(url, method, [wallet, 'pending'], signal),
  )
  return (await Promise.all(asked)).every((answer) => BigInt(String(answer)) === 0n)
}

async function untilMined(url: string, txHash: unknown, signal: AbortSignal): Promise<void> {
  while ((await callNode(url, 'eth_getTransactionReceipt', [txHash], signal)) === null) {
    signal.throwIfAborted()
    await systemClock.sleep(50, signal)
  }
}
