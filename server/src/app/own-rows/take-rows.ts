/** Makes the networks of signed rows known to this process. */
import { addOwnNetwork, addUnusableNetwork, shippedNetworkOf } from '../../chains/networks.ts'
import { evmNetworkOf } from '../../pricing/own-rows/own-network.ts'
import type { OwnRows } from '../../pricing/own-rows/signed-rows.ts'

/**
 * Returns the rows that this installation knows: without networks whose chain it must not use, and without their
 * tokens.
 * @param onProblem is told why a network is left out
 */
export function takeRows(
  read: OwnRows,
  chainIdProblem: (chainId: number) => string | undefined,
  onProblem: (network: string, problem: string) => void,
): OwnRows {
  const left = new Set<string>()
  for (const { row, conflict } of read.networks) {
    const problem = chainIdProblem(row.chainId)
    if (problem !== undefined) {
      left.add(row.name)
      onProblem(row.name, problem)
    } else if (conflict === undefined) addOwnNetwork(evmNetworkOf(row))
    else if (shippedNetworkOf(row.name) === undefined) addUnusableNetwork(evmNetworkOf(row))
  }
  return {
    ...read,
    networks: read.networks.filter(({ row }) => !left.has(row.name)),
    tokens: read.tokens.filter(({ row }) => !left.has(row.network)),
  }
}
