/** What an entry of the operator must not repeat: names, chains, contracts and ids that are in use. */
import { networks as shipped, shippedNetworkOf } from '../../chains/networks.ts'
import { mainPaymentMethods } from '../payment-methods/catalogue.ts'
import type { OwnNetwork } from './own-network.ts'
import { type OwnToken, tokenName } from './own-token.ts'
import type { FieldProblem } from './row-fields.ts'
import type { OwnChange, OwnRows } from './signed-rows.ts'

type Known = Pick<OwnRows, 'networks' | 'tokens'>

/** Returns what is wrong with a change after the rows that are known. Returns an empty list if nothing is. */
export function conflictsOf(change: OwnChange, known: Known): readonly FieldProblem[] {
  switch (change.type) {
    case 'network':
      return networkConflicts(change.row, known)
    case 'token':
      return tokenConflicts(change.row, known)
    case 'state': {
      const names =
        change.kind === 'network'
          ? known.networks.map(({ row }) => row.name)
          : known.tokens.map(({ row }) => tokenName(row))
      return names.includes(change.name)
        ? []
        : [{ field: 'name', detail: `is not one of your own ${change.kind}s` }]
    }
  }
}

function networkConflicts({ name, title, chainId, coin, methodId, coinMirrors }: OwnNetwork, known: Known) {
  const problems: FieldProblem[] = []
  const others = [...Object.values(shipped), ...known.networks.map(({ row }) => row)]
  const taken = shippedNetworkOf(name) === undefined ? 'your own network' : 'a network that comes with Coffer'
  if (others.some((other) => other.name === name))
    problems.push({ field: 'name', detail: `is the name of ${taken}: choose another` })
  if (others.some((other) => sameText(other.title, title)))
    problems.push({
      field: 'title',
      detail: 'is the title of another network: payers could not tell them apart',
    })
  const twin = others.find((other) => 'chainId' in other && other.chainId === chainId)
  if (twin !== undefined)
    problems.push({
      field: 'chainId',
      detail: `is the chain of ${twin.name}: a payment signed for a chain id is valid on every chain with it`,
    })
  if (coinMirrors.length > new Set(coinMirrors).size)
    problems.push({ field: 'coinMirrors', detail: 'lists a contract twice' })
  return [...problems, ...idConflicts(methodId, known), ...symbolProblem(coin.symbol)]
}

/** "coin" stands for a network's coin in addresses and ledgers, so no symbol is this word. */
function symbolProblem(symbol: string): readonly FieldProblem[] {
  return sameText(symbol, 'coin') ? [{ field: 'coin.symbol', detail: 'must not be "COIN"' }] : []
}

function tokenConflicts(row: OwnToken, known: Known): readonly FieldProblem[] {
  const { network, contract, symbol, methodId } = row
  const at = networkNow(network, known)
  if (at === undefined)
    return [{ field: 'network', detail: 'is no EVM network: add it first, with "coffer networks add"' }]
  const problems: FieldProblem[] = []
  if (at.coinMirrors.includes(contract))
    problems.push({
      field: 'contract',
      detail: `presents the coin of ${network} as a token: each payment of the coin would count twice`,
    })
  const others = [...mainPaymentMethods(), ...known.tokens.map((one) => one.row)].filter(
    (other) => other.network === network,
  )
  const same = others.find((other) => other.contract === contract)
  if (same !== undefined)
    problems.push({ field: 'contract', detail: `is already the contract of ${tokenName(same)}` })
  const symbols = [at.coin.symbol, ...others.map((other) => other.symbol)]
  if (symbols.some((other) => sameText(other, symbol)))
    problems.push({
      field: 'symbol',
      detail: `is already used on ${network}: choose another, such as ${symbol}2`,
    })
  return [...problems, ...idConflicts(methodId, known)]
}

function networkNow(name: string, known: Known) {
  const own = known.networks.find(({ row }) => row.name === name)?.row
  const row = shippedNetworkOf(name)
  return own ?? (row?.family === 'evm' ? row : undefined)
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
