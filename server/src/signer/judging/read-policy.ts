/** The policy file: read as narrowly as possible, with all that is wrong in it at once. */
import * as Address from 'ox/Address'
import { devChainIds, isNetworkName, type Network, networks } from '../../chains/networks.ts'
import type { AssetPolicy, NetworkPolicy, Policy } from './policy.ts'

export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

/** For which chains it is: those with real money, or those for development. */
export type PolicyKind = 'real' | 'sandbox'

/** @throws PolicyError */
export function readPolicy(text: string, path: string, kind: PolicyKind = 'real'): Policy {
  const file = objectOf(jsonOf(text))
  if (file === undefined) throw new PolicyError(`${path} is no JSON object`)
  const problems: string[] = []
  requireKnown(file, '', ['networks', 'assets'], problems)
  const named = readNetworks(file['networks'], kind, problems)
  const assets = readAssets(file['assets'], named, problems)
  if (problems.length > 0) {
    throw new PolicyError(`${path} does not work:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return { networks: named, assets }
}

type Fields = Readonly<Record<string, unknown>>
type Networks = Readonly<Record<string, NetworkPolicy>>

const networkAmounts = ['feePerTransactionMinor', 'feesPer24HoursMinor', 'topUpsPer24HoursMinor'] as const
/** Of networks whose money lies in coins; each may be left out. */
const coinAmounts = ['feeRateMinor', 'feeSharePercent'] as const
const assetAmounts = ['perTransactionMinor', 'per24HoursMinor', 'totalMinor'] as const

function readNetworks(value: unknown, kind: PolicyKind, problems: string[]): Networks {
  const entries = objectOf(value)
  if (entries === undefined) {
    problems.push('"networks" must be an object of networks by name')
    return {}
  }
  const read: Record<string, NetworkPolicy> = {}
  for (const [name, entry] of Object.entries(entries)) {
    const at = `networks."${name}"`
    if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name)) problems.push(`${at} is no name of a network`)
    const network = readNetwork(objectOf(entry) ?? {}, at, problems)
    const shipped = isNetworkName(name) ? networks[name] : undefined
    if (shipped !== undefined) requireShipped(shipped, network, kind, at, problems)
    else requireOwnId(network, kind, at, problems)
    const twin = Object.entries(read).find(
      ([, { chainId }]) => chainId !== undefined && chainId === network.chainId,
    )
    if (twin !== undefined) problems.push(`${at}.chainId is that of "${twin[0]}": a chain has one name`)
    read[name] = network
  }
  return read
}

function readNetwork(entry: Fields, at: string, problems: string[]): NetworkPolicy {
  requireKnown(entry, `${at}.`, ['chainId', 'coin', ...networkAmounts, ...coinAmounts], problems)
  const { chainId } = entry
  const hasId = chainId !== undefined
  if (hasId && !isWhole(chainId, 1, Number.MAX_SAFE_INTEGER))
    problems.push(`${at}.chainId must be a whole number from 1, without quotes`)
  const coin = objectOf(entry['coin'])
  if (coin === undefined)
    problems.push(`${at}.coin must be an object such as { "symbol": "ETH", "decimals": 18 }`)
  const given = coinAmounts.filter((name) => entry[name] !== undefined)
  return {
    chainId: hasId ? Number(chainId) : undefined,
    coin: readUnit(coin ?? {}, `${at}.coin`, coin === undefined ? [] : problems),
    ...readAmounts(entry, networkAmounts, at, problems),
    ...readAmounts(entry, given, at, problems),
  }
}

/** A network that comes with Coffer is what it is there. */
function requireShipped(
  shipped: Network,
  { chainId, coin }: NetworkPolicy,
  kind: PolicyKind,
  at: string,
  problems: string[],
): void {
  const { symbol, decimals } = shipped.coin
  if (coin.symbol !== symbol || coin.decimals !== decimals)
    problems.push(`${at}.coin must be { "symbol": "${symbol}", "decimals": ${decimals} }`)
  if (shipped.family !== 'evm') {
    if (chainId !== undefined)
      problems.push(`${at}.chainId is not known: leave it out where money lies in coins`)
    return
  }
  const ids = kind === 'real' ? [shipped.chainId] : devChainIds
  if (chainId === undefined || !ids.includes(chainId))
    problems.push(`${at}.chainId must be ${ids.join(' or ')}`)
}

/** An id that comes with Coffer has its name already. */
function requireOwnId({ chainId }: NetworkPolicy, kind: PolicyKind, at: string, problems: string[]): void {
  if (chainId === undefined) {
    problems.push(`${at}.chainId is missing: only networks that come with Coffer do without`)
    return
  }
  const shipped = Object.values(networks).find((row) => row.family === 'evm' && row.chainId === chainId)
  if (shipped !== undefined) problems.push(`${at}.chainId ${chainId} is that of "${shipped.name}"`)
  const isDev = devChainIds.includes(chainId)
  if (isDev && kind === 'real')
    problems.push(`${at}.chainId ${chainId} is of development chains, which only --sandbox signs for`)
  if (!isDev && kind === 'sandbox')
    problems.push(`${at}.chainId must be ${devChainIds.join(' or ')}: --sandbox signs for no other`)
}

function readAssets(value: unknown, named: Networks, problems: string[]): readonly AssetPolicy[] {
  if (!Array.isArray(value)) {
    problems.push('"assets" must be a list of assets, each with network, symbol, contract and decimals')
    return []
  }
  const read: AssetPolicy[] = []
  for (const [place, entry] of value.entries()) {
    const at = `assets[${place}]`
    const asset = readAsset(objectOf(entry) ?? {}, at, problems)
    const network = named[asset.network]
    if (network === undefined) problems.push(`${at}.network must be one of "networks"`)
    else requireOfNetwork(asset, network, at, problems)
    for (const [before, other] of read.entries()) {
      if (other.network !== asset.network) continue
      if (other.contract === asset.contract) problems.push(`${at}.contract is that of assets[${before}]`)
      if (other.symbol === asset.symbol) problems.push(`${at}.symbol is that of assets[${before}]`)
    }
    read.push(asset)
  }
  return read
}

function readAsset(entry: Fields, at: string, problems: string[]): AssetPolicy {
  const names = ['network', 'symbol', 'contract', 'decimals', ...assetAmounts]
  requireKnown(entry, `${at}.`, names, problems)
  const { network, contract } = entry
  if (contract !== null && !isContract(contract))
    problems.push(`${at}.contract must be an address of a token as explorers show it, or null for the coin`)
  return {
    network: typeof network === 'string' ? network : '',
    contract: isContract(contract) ? contract.toLowerCase() : null,
    ...readUnit(entry, at, problems),
    ...readAmounts(entry, assetAmounts, at, problems),
  }
}

/** The coin is called one thing, and no token is called that. */
function requireOfNetwork(
  { symbol, decimals, contract }: AssetPolicy,
  { coin, chainId }: NetworkPolicy,
  at: string,
  problems: string[],
): void {
  const isSame = coin.symbol === symbol && coin.decimals === decimals
  if (contract === null && !isSame)
    problems.push(
      `${at} must be called "${coin.symbol}" and have ${coin.decimals} decimals, as the network's coin`,
    )
  if (contract !== null && coin.symbol === symbol)
    problems.push(`${at}.symbol is the coin's: no token is called that`)
  if (contract !== null && chainId === undefined)
    problems.push(`${at}.contract must be null: there are no tokens where money lies in coins`)
}

interface Unit {
  readonly symbol: string
  readonly decimals: number
}

function readUnit({ symbol, decimals }: Fields, at: string, problems: string[]): Unit {
  const isSymbol = typeof symbol === 'string' && /^[A-Za-z0-9.]{1,20}$/.test(symbol)
  if (!isSymbol) problems.push(`${at}.symbol must be letters and digits, such as "USDT"`)
  const hasDecimals = isWhole(decimals, 0, 36)
  if (!hasDecimals) problems.push(`${at}.decimals must be a whole number from 0 to 36, without quotes`)
  return { symbol: isSymbol ? symbol : '', decimals: hasDecimals ? decimals : 0 }
}

function readAmounts<Name extends string>(
  entry: Fields,
  names: readonly Name[],
  at: string,
  problems: string[],
): Readonly<Record<Name, bigint>> {
  const read = names.map((name) => {
    const value = entry[name]
    if (typeof value === 'string' && /^\d{1,77}$/.test(value)) return [name, BigInt(value)] as const
    problems.push(`${at}.${name} must be a whole number of the smallest unit in quotes, such as "1000000"`)
    return [name, 0n] as const
  })
  return Object.fromEntries(read) as Record<Name, bigint>
}

function requireKnown(entry: Fields, before: string, names: readonly string[], problems: string[]): void {
  for (const name of Object.keys(entry)) {
    if (!names.includes(name)) problems.push(`${before}${name} is not known: write ${names.join(', ')}`)
  }
}

/** Where its case says something, it is the checksum of EIP-55, which finds a digit that is wrong. */
function isContract(value: unknown): value is string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return false
  return value === value.toLowerCase() || Address.validate(value)
}

function isWhole(value: unknown, min: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= most
}

function objectOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
