import { openChain } from '../../../chains/open-chain.ts'
import { openLog } from '../../log.ts'
import { utxoNodesOf, withRunningNodes } from '../../open-utxo-nodes.ts'
import { readConfig } from '../../settings/config.ts'
import { tellStrays } from '../../tell-strays.ts'
import type { Terminal } from '../command.ts'
import type { Desk } from '../operator-desk.ts'

const patienceMs = 60_000

/** Asks every network of the Bitcoin family that is followed; the exit code says whether anything was found. */
export async function strayDeposits(
  { db }: Desk,
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
      const lines = await tellStrays({ db, chain, network: node.network }, txHash, signal)
      for (const line of lines) print(line)
      found += lines.length
    } finally {
      await chain.close()
    }
  }
  note(
    found === 0
      ? 'It paid nothing to another kind of address of a key of ours.'
      : 'Nothing of it is booked. Whoever holds the seed can spend it by the key at that path, in any wallet.',
  )
  return found === 0 ? 1 : 0
}
