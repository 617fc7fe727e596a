import { Type } from 'typebox'
import { allEvmNetworks } from '../../chains/networks.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { nullable, oneOf } from '../../platform/http/wire.ts'
import { type OwnRows, stateOf } from './signed-rows.ts'

const NetworkView = Type.Object(
  {
    name: Type.String({ description: 'the name by which commands and settings know the network' }),
    title: Type.String({ examples: ['Scroll'] }),
    chainID: Type.Integer({ description: 'the EIP-155 chain id of the main chain' }),
    coin: Type.String({ description: 'the symbol of the network’s coin', examples: ['ETH'] }),
    isOwn: Type.Boolean({ description: 'whether an operator added it to this installation' }),
    isFollowed: Type.Boolean({ description: 'whether this server has nodes of it' }),
    isEnabled: Type.Boolean({
      description: 'false if an operator disabled it: new invoices do not offer it',
    }),
  },
  { title: 'EvmNetwork' },
)

const TokenView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    network: Type.String(),
    symbol: Type.String(),
    name: Type.String(),
    decimals: Type.Integer(),
    contract: Type.String(),
    isEnabled: Type.Boolean({
      description: 'false if it cannot be used, or an operator disabled it or its network',
    }),
    state: oneOf(['enabled', 'disabled', 'unusable'], {
      title: 'OwnTokenState',
      description:
        'of the token alone, whatever the state of its network; unusable: this version of Coffer ships what it repeats',
    }),
  },
  { title: 'OwnToken' },
)

const RefusedView = Type.Object(
  {
    entry: Type.Integer({ description: 'the id of the entry in the database' }),
    reason: Type.String({ description: 'why the entry is not used, as text for people' }),
  },
  { title: 'RefusedEntry' },
)

export interface OwnRowRouteParts {
  /** Returns the rows that this process has accepted, and the entries that it refused. */
  ownRows(): OwnRows
  readonly chains: readonly { readonly network: string }[]
  /** Whether this server signs entries: only a sandbox has a key. */
  readonly canSignHere: boolean
}

/** Returns the route on which operators read the networks and the tokens that they added. */
export function ownRowRoutes({ ownRows, chains, canSignHere }: OwnRowRouteParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/operator/networks',
      auth: 'bearer',
      permit: permitOperator,
      operationId: 'listNetworks',
      summary: 'List the EVM networks, the tokens that an operator added, and refused entries',
      replies: {
        200: Type.Object({
          networks: Type.Array(NetworkView),
          tokens: Type.Array(TokenView),
          refused: Type.Array(RefusedView),
          lastEntry: nullable(Type.Integer({ description: 'the number of the last signed entry' })),
          canSignHere: Type.Boolean({
            description: 'whether this server signs entries: only a sandbox has a key',
          }),
        }),
      },
      handle: async () => {
        const rows = ownRows()
        const followed = new Set(chains.map(({ network }) => network))
        return {
          status: 200,
          body: {
            networks: networksOf(rows, followed),
            tokens: tokensOf(rows),
            refused: rows.refused.map(({ id, reason }) => ({ entry: id, reason })),
            lastEntry: rows.hashes.length === 0 ? null : rows.hashes.length,
            canSignHere,
          },
        }
      },
    }),
  ]
}

function networksOf({ networks }: OwnRows, followed: ReadonlySet<string>) {
  const own = new Map(
    networks.flatMap(({ row, isEnabled, conflict }) =>
      conflict === undefined ? [[row.name, isEnabled] as const] : [],
    ),
  )
  return allEvmNetworks().map(({ name, title, chainId, coin }) => ({
    name,
    title,
    chainID: chainId,
    coin: coin.symbol,
    isOwn: own.has(name),
    isFollowed: followed.has(name),
    isEnabled: own.get(name) ?? true,
  }))
}

function tokensOf({ networks, tokens }: OwnRows) {
  const off = new Set(networks.filter(({ isEnabled }) => !isEnabled).map(({ row }) => row.name))
  return tokens.map(({ row, isEnabled, conflict }) => ({
    paymentMethodID: row.methodId,
    network: row.network,
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals,
    contract: row.contract,
    isEnabled: isEnabled && conflict === undefined && !off.has(row.network),
    state: stateOf({ isEnabled, conflict }),
  }))
}
