/** What an entry of the operator must not repeat: names, chains, contracts and ids that are in use. */
import type { EvmNetwork } from '../../chains/evm/evm-networks.ts'
import { type Network, networks as shipped, shippedNetworkOf } from '../../chains/networks.ts'
import { mainPaymentMethods } from '../payment-methods/catalogue.ts'
import type { OwnNetwork } from './own-network.ts'
import { type OwnToken, tokenName } from './own-token.ts'
import type { FieldProblem } from './row-fields.ts'
import type { OwnChange, OwnRows, RowState } from './signed-rows.ts'

type Known = Pick<OwnRows, 'networks' | 'tokens'>

/** Returns what is wrong with a new change after the rows that are known. Returns an empty list if nothing is. */
export function conflictsOf(change: OwnChange, known: Known): readonly FieldProblem[] {
  return [...ownConflictsOf(change, known), ...shippedConflictsOf(change, known)]
}

/** The conflicts with the operator's own rows alone. They are the same in every version of Coffer. */
export function ownConflictsOf(change: OwnChange, known: Known): readonly FieldProblem[] {
  switch (change.type) {
    case 'network': {
      const { coinMirrors, coin, methodId } = change.row
      const rows = known.networks.map(({ row }) => row)
      const mirrors = { field: 'coinMirrors', detail: 'lists a contract twice' }
      return [
        ...namesTaken(change.row, rows, 'your own network'),
        ...(coinMirrors.length > new Set(coinMirrors).size ? [mirrors] : []),
        ...idConflicts(methodId, known),
        ...symbolProblem(coin.symbol),
      ]
    }
    case 'token': {
      const at = known.networks.find(({ row }) => row.name === change.row.network)?.row
      const others = known.tokens.map(({ row }) => row)
      return [...tokenTaken(change.row, at, others), ...idConflicts(change.row.methodId, known)]
    }
    case 'state':
      return stateConflicts(change, known)
    case 'nodes':
      return stateConflicts({ kind: 'network', name: change.network }, known)
  }
}

/** The conflicts with what comes with Coffer. A later version may ship what an operator had added before. */
export function shippedConflictsOf(change: OwnChange, known: Known): readonly FieldProblem[] {
  switch (change.type) {
    case 'network':
      return namesTaken(change.row, Object.values(shipped), 'a network that comes with Coffer')
    case 'token': {
      const row = shippedNetworkOf(change.row.network)
      const at = row?.family === 'evm' ? row : undefined
      return [...networkProblem(change.row, at, known), ...tokenTaken(change.row, at, mainPaymentMethods())]
    }
    case 'state':
    case 'nodes':
      return []
  }
}

type Named = Pick<Network, 'name' | 'title'> & { readonly chainId?: number }

function namesTaken(
  { name, title, chainId }: OwnNetwork,
  others: readonly Named[],
  taken: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  if (others.some((other) => other.name === name))
    problems.push({ field: 'name', detail: `is the name of ${taken}: choose another` })
  if (others.some((other) => sameText(other.title, title)))
    problems.push({
      field: 'title',
      detail: 'is the title of another network: payers could not tell them apart',
    })
  const twin = others.find((other) => other.chainId === chainId)
  if (twin !== undefined)
    problems.push({
      field: 'chainId',
      detail: `is the chain of ${twin.name}: a payment signed for a chain id is valid on every chain with it`,
    })
  return problems
}

/** "coin" stands for a network's coin in addresses and ledgers, so no symbol is this word. */
function symbolProblem(symbol: string): readonly FieldProblem[] {
  return sameText(symbol, 'coin') ? [{ field: 'coin.symbol', detail: 'must not be "COIN"' }] : []
}

interface TokenLike {
  readonly network: string
  readonly symbol: string
  readonly contract: string | undefined
}

function tokenTaken(
  { network, contract, symbol }: OwnToken,
  at: (Pick<EvmNetwork, 'coinMirrors'> & { readonly coin: { readonly symbol: string } }) | undefined,
  methods: readonly TokenLike[],
): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  if (at?.coinMirrors.includes(contract))
    problems.push({
      field: 'contract',
      detail: `presents the coin of ${network} as a token: each payment of the coin would count twice`,
    })
  const others = methods.filter((other) => other.network === network)
  const same = others.find((other) => other.contract === contract)
  if (same !== undefined)
    problems.push({ field: 'contract', detail: `is already the contract of ${tokenName(same)}` })
  const symbols = [...(at === undefined ? [] : [at.coin.symbol]), ...others.map((other) => other.symbol)]
  if (symbols.some((other) => sameText(other, symbol)))
    problems.push({
      field: 'symbol',
      detail: `is already used on ${network}: choose another, such as ${symbol}2`,
    })
  return problems
}

/** A token goes with its network. If the network is shipped now, it is the same one if its chain id is. */
function networkProblem(
  { network }: OwnToken,
  at: EvmNetwork | undefined,
  { networks }: Known,
): readonly FieldProblem[] {
  const own = networks.find(({ row }) => row.name === network)
  if (own === undefined && at === undefined)
    return [{ field: 'network', detail: 'is no EVM network: add it first, with "coffer networks add"' }]
  if (own?.conflict === undefined || own.row.chainId === at?.chainId) return []
  return [{ field: 'network', detail: `cannot be used: ${own.conflict}` }]
}

function stateConflicts(
  { kind, name }: Pick<RowState, 'kind' | 'name'>,
  known: Known,
): readonly FieldProblem[] {
  const names =
    kind === 'network'
      ? known.networks.map(({ row }) => row.name)
      : known.tokens.map(({ row }) => tokenName(row))
  return names.includes(name) ? [] : [{ field: 'name', detail: `is not one of your own ${kind}s` }]
}

function idConflicts(methodId: number, known: Known): readonly FieldProblem[] {
  const used = methodIdsOf(known)
  return used.includes(methodId) ? [{ field: 'methodId', detail: 'is already in use' }] : []
}

/** Returns the ids of the operator's payment methods, enabled or not. */
export function methodIdsOf({ networks, tokens }: Known): readonly number[] {
  return [...networks, ...tokens].map(({ row }) => row.methodId)
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
