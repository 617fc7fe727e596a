/** Funds unused wallets on the dev chain from the last dev account, which holds the operator's own money. */
import { systemClock } from '../core/clock.ts'
import { callNode } from './node-call.ts'
import { sendTransaction } from './send-transaction.ts'

/** The amount that each wallet gets: 100 ETH. */
const eachMinor = 100n * 10n ** 18n

/** Returns the last of the node's unlocked accounts, in lower case; undefined if the node has none. */
export async function findFunder(rpcUrl: string, signal: AbortSignal): Promise<string | undefined> {
  const accounts = (await callNode(rpcUrl, 'eth_accounts', [], signal)) as string[]
  return accounts.at(-1)?.toLowerCase()
}

/**
 * Funds each wallet that holds nothing and never sent a transaction, and waits until the payments are mined.
 * Balances are read from the pending block, because a concurrent or killed run may have sent a payment that
 * is not mined yet.
 * @returns the number of wallets that were funded
 */
export async function fundWallets(
  rpcUrl: string,
  funder: string,
  wallets: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const empty = await Promise.all(wallets.map((wallet) => isUnused(rpcUrl, wallet, signal)))
  const sent: unknown[] = []
  for (const wallet of wallets.filter((_, index) => empty[index])) {
    const value = `0x${eachMinor.toString(16)}`
    sent.push(await sendTransaction(rpcUrl, { from: funder, to: wallet, value }, signal))
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
