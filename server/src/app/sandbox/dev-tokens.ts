import { type NetworkName, networkOf } from '../../chains/networks.ts'
import type { Clock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { acquireLease, assertLease, type Lease, releaseLease } from '../../platform/db/lease.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { DevToken } from '../../pricing/payment-methods/catalogue.ts'
import { readDevTokens, saveDevTokens } from '../../pricing/payment-methods/store.ts'
import { prepareOpStack } from '../../sandbox/op-stack.ts'
import { deployTestTokens } from '../../sandbox/test-tokens.ts'

export interface DevTokensParts {
  readonly db: Db
  readonly network: NetworkName
  readonly nodeUrl: string
  readonly clock: Clock
  readonly signal: AbortSignal
  onProgress(step: string): void
}

const askAgainMs = 100

/**
 * Returns the test tokens of the dev chain, and deploys them if they are missing. If several processes start
 * at once, only one of them deploys the tokens.
 */
export async function prepareTokens(parts: DevTokensParts): Promise<readonly DevToken[]> {
  const { db, network, nodeUrl, signal } = parts
  const lease = await waitForLease(parts)
  try {
    const stored = await readDevTokens(db, network)
    const known = Object.fromEntries(stored.map(({ symbol, contract }) => [symbol, contract]))
    if (isOpStack(network)) await prepareOpStack(nodeUrl, signal)
    const deployed = await deployTestTokens(nodeUrl, signal, known)
    const tokens = Object.entries(deployed).map(([symbol, contract]) => ({ network, symbol, contract }))
    await inTransaction(db, async (tx) => {
      await assertLease(tx, lease)
      await saveDevTokens(tx, tokens)
    })
    return tokens
  } finally {
    await releaseLease(db, lease)
  }
}

function isOpStack(name: NetworkName): boolean {
  const network = networkOf(name)
  return network?.family === 'evm' && network.feeModel === 'op-stack'
}

async function waitForLease({ db, clock, signal }: DevTokensParts): Promise<Lease> {
  const holderId = newId()
  for (;;) {
    signal.throwIfAborted()
    const lease = await acquireLease(db, { name: 'dev tokens', holderId, ttlMs: limits.leaseMs })
    if (lease !== undefined) return lease
    await clock.sleep(askAgainMs, signal)
  }
}

/**
 * Returns the test tokens that the process with the role `watcher` deployed. It waits for the tokens without
 * a time limit.
 */
export async function findTokens(parts: DevTokensParts): Promise<readonly DevToken[]> {
  const { db, network, clock, signal, onProgress } = parts
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted()
    const tokens = await readDevTokens(db, network)
    if (tokens.length > 0) return tokens
    if (tries === 0) onProgress('waiting for a process with the role watcher')
    await clock.sleep(askAgainMs, signal)
  }
}
