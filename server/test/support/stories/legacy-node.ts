/**
 * A network of an operator whose blocks have no base fee, on a real node with the rules of the fork "Berlin". The
 * signer has a policy that says so.
 */

import type { EvmNetwork } from '../../../src/chains/evm/evm-networks.ts'
import { addOwnNetwork } from '../../../src/chains/networks.ts'
import { required } from '../../../src/core/assert.ts'
import { ownMethods } from '../../../src/pricing/own-rows/own-methods.ts'
import { evmNetworkOf, type OwnNetwork, readOwnNetwork } from '../../../src/pricing/own-rows/own-network.ts'
import { type OwnToken, readOwnToken } from '../../../src/pricing/own-rows/own-token.ts'
import { devTiers } from '../../../src/pricing/payment-methods/catalogue.ts'
import type { PaymentMethod } from '../../../src/pricing/payment-methods/payment-method.ts'
import type { Policy } from '../../../src/signer/authorization/policy.ts'
import { readPolicy } from '../../../src/signer/authorization/read-policy.ts'
import { startTestAnvil } from '../anvil.ts'
import { controlNode, type DevNode } from './dev-node.ts'

const name = 'oldnet'
const gwei = 10n ** 9n

interface LegacyNode {
  readonly network: EvmNetwork
  readonly dev: DevNode
  readonly url: string
  /** Returns the payment methods of the network, with its token at a contract, and the policy of its signer. */
  readonly own: (usdc: string) => { readonly methods: readonly PaymentMethod[]; readonly policy: Policy }
  close(): Promise<void>
}

export const legacyIds = { coin: 1_000, token: 1_001 } as const
/** The highest price that the row allows for a unit of gas. */
export const legacyPriceMax: bigint = 20n * gwei

const row = {
  methodId: legacyIds.coin,
  name,
  title: 'Oldnet',
  chainId: 6_131_337,
  coin: {
    symbol: 'ETH',
    name: 'Ether',
    decimals: 18,
    minimum: '0.0002',
    depositMax: '1000000',
    isStable: false,
  },
  blockTimeMs: 2_000,
  confirmations: [1, 2, 3],
  feeModel: 'legacy',
  canDelegate: false,
  priceBounds: {
    maxFeePerGasMax: `${legacyPriceMax}`,
    maxPriorityFeePerGasMin: '1000000',
    maxPriorityFeePerGasMax: `${legacyPriceMax}`,
  },
  coinMirrors: [],
  explorer: { name: 'Scan', url: 'https://scan.example' },
  walletRpcUrl: null,
  typicalFeeUsd: '0.01',
  isCreditable: false,
  coldAddress: null,
  gasBudget: '1',
  nodesHash: 'ab'.repeat(32),
}

function tokenRow(contract: string) {
  return {
    methodId: legacyIds.token,
    network: name,
    symbol: 'USDC',
    name: 'A dollar',
    decimals: 6,
    contract,
    minimum: '0.5',
    depositMax: '1000000',
    isStable: true,
    isCreditable: false,
  }
}

function valid<Row extends OwnNetwork | OwnToken>(
  read: Row | { readonly problems: readonly unknown[] },
): Row {
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read
}

function methodsWith(network: OwnNetwork, token: OwnToken): readonly PaymentMethod[] {
  const known = { isEnabled: true, conflict: undefined, serial: 1 }
  const rows = { networks: [{ ...known, row: network }], tokens: [{ ...known, row: token }] }
  return ownMethods(rows, [], required(devTiers, 'the tiers')).methods
}

function policyWith(usdc: string): Policy {
  const coin = { symbol: 'ETH', decimals: 18 }
  const most = `${10n ** 24n}`
  const limits = { perTransactionMinor: most, per24HoursMinor: most, totalMinor: most }
  const entry = {
    chainId: row.chainId,
    coin,
    feeModel: 'legacy',
    feePerTransactionMinor: `${10n ** 17n}`,
    feesPer24HoursMinor: `${10n ** 18n}`,
    topUpsPer24HoursMinor: `${10n ** 17n}`,
  }
  const assets = [
    { network: name, contract: null, ...coin, ...limits },
    { network: name, contract: usdc, symbol: 'USDC', decimals: 6, ...limits },
  ]
  return readPolicy(JSON.stringify({ networks: { [name]: entry }, assets }), 'policy.json', 'sandbox')
}

/** Starts the node and makes its network known to this process, as a verified row of the operator does. */
export async function startLegacyNode(): Promise<LegacyNode> {
  const anvil = await startTestAnvil({ chainId: row.chainId, hardfork: 'berlin' })
  const own = valid<OwnNetwork>(readOwnNetwork(row))
  const network = evmNetworkOf(own)
  addOwnNetwork(network)
  return {
    network,
    dev: await controlNode(anvil.url, { deployTokens: () => anvil.deployTokens() }),
    url: anvil.url,
    own: (usdc) => ({
      methods: methodsWith(own, valid<OwnToken>(readOwnToken(tokenRow(usdc)))),
      policy: policyWith(usdc),
    }),
    close: anvil.stop,
  }
}
