import { openChain } from '../../../chains/open-chain.ts'
import { describeMisdirectedDeposits } from '../../describe-misdirected-deposits.ts'
import { openLog } from '../../log.ts'
import { utxoNodesOf, withRunningNodes } from '../../open-utxo-nodes.ts'
import { readConfig } from '../../settings/config.ts'
import type { Terminal } from '../command.ts'
import type { CommandContext } from '../operator-context.ts'

const patienceMs = 60_000

/**
 * Looks up a transaction on every configured UTXO network and prints its misdirected deposits.
 * @returns the exit code: 0 if any was found, 1 if none
 */
export async function misdirectedDeposits(
  { db }: CommandContext,
  { environment, print, note }: Terminal,
  txHash: string,
): Promise<number> {
  const config = await withRunningNodes(readConfig(environment))
  const log = openLog(config.logLevel)
  let found = 0
  for (const node of utxoNodesOf(config)) {
    const chain = openChain({ ...node, log })
    try {
      const signal = AbortSignal.timeout(patienceMs)
      const lines = await describeMisdirectedDeposits({ db, chain, network: node.network }, txHash, signal)
      for (const line of lines) print(line)
      found += lines.length
    } finally {
      await chain.close()
    }
  }
  note(
    found === 0
      ? 'The transaction has no misdirected deposit: it paid nothing to another kind of address of our keys.'
      : 'None of it is booked. The holder of the seed can spend it with the key at that derivation path, in any wallet.',
  )
  return found === 0 ? 1 : 0
}
