/** Reads the policy file strictly and reports all of its errors at once. */
import * as Address from 'ox/Address'
import { chainIdMax } from '../../chains/evm/evm-networks.ts'
import { devChainIds, isDevChainId, type Network, networks, shippedNetworkOf } from '../../chains/networks.ts'
import type { AssetPolicy, NetworkPolicy, Policy } from './policy.ts'

/** Describes the chain ids of development chains. */
const devIds = `${devChainIds.join(' or ')}, or end with 31337`

export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

/** The chains that a policy applies to: chains with real money, or development chains. */
export type PolicyKind = 'real' | 'sandbox'

/**
 * Parses and checks a policy.
 * @throws PolicyError with a list of all errors.
 */
export function readPolicy(text: string, path: string, kind: PolicyKind = 'real'): Policy {
  const file = objectOf(jsonOf(text))
  if (file === undefined) throw new PolicyError(`${path} is not a JSON object`)
  const problems: string[] = []
  requireKnown(file, '', ['networks', 'assets'], problems)
  const named = readNetworks(file['networks'], kind, problems)
  const assets = readAssets(file['assets'], named, problems)
  if (problems.length > 0) {
    throw new PolicyError(`${path} is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  return { networks: named, assets }
}

type Fields = Readonly<Record<string, unknown>>
type Networks = Readonly<Record<string, NetworkPolicy>>

const networkAmounts = ['feePerTransactionMinor', 'feesPer24HoursMinor', 'topUpsPer24HoursMinor'] as const
/** The names of the optional fee limits that the policy may set for a UTXO network. */
const coinAmounts = ['feeRateMinor', 'feeSharePercent'] as const
/** The name of the amount that the policy must set for an OP-stack network. */
const dataAmount = 'dataFeePerByteMinor'
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
    if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name)) problems.push(`${at} is not the name of a network`)
    const network = readNetwork(objectOf(entry) ?? {}, at, problems)
    const shipped = shippedNetworkOf(name)
    if (shipped !== undefined) requireShipped(shipped, network, kind, at, problems)
    else requireOwnId(network, kind, at, problems)
    const twin = Object.entries(read).find(
      ([, { chainId }]) => chainId !== undefined && chainId === network.chainId,
    )
    if (twin !== undefined)
      problems.push(`${at}.chainId is already used by "${twin[0]}": a chain has one name`)
    read[name] = network
  }
  return read
}

function readNetwork(entry: Fields, at: string, problems: string[]): NetworkPolicy {
  requireKnown(
    entry,
    `${at}.`,
    ['chainId', 'coin', 'feeModel', ...networkAmounts, dataAmount, ...coinAmounts],
    problems,
  )
  const { chainId } = entry
  const hasId = chainId !== undefined
  if (hasId && !isWhole(chainId, 1, chainIdMax))
    problems.push(`${at}.chainId must be a whole number from 1 to ${chainIdMax}, without quotes`)
  const coin = objectOf(entry['coin'])
  if (coin === undefined)
    problems.push(`${at}.coin must be an object such as { "symbol": "ETH", "decimals": 18 }`)
  const given = [dataAmount, ...coinAmounts].filter((name) => entry[name] !== undefined)
  return {
    chainId: hasId ? Number(chainId) : undefined,
    coin: readUnit(coin ?? {}, `${at}.coin`, coin === undefined ? [] : problems),
    ...readFeeModel(entry, at, problems),
    ...readAmounts(entry, networkAmounts, at, problems),
    ...readAmounts(entry, given, at, problems),
  }
}

function readFeeModel({ feeModel }: Fields, at: string, problems: string[]): Pick<NetworkPolicy, 'feeModel'> {
  if (feeModel === undefined) return {}
  if (feeModel !== 'legacy')
    problems.push(`${at}.feeModel must be "legacy", or omitted for a network whose blocks have base fees`)
  return { feeModel: 'legacy' }
}

/** Checks the chain id and the coin that the policy states for a network that is shipped with Coffer. */
function requireShipped(
  shipped: Network,
  { chainId, coin, feeModel, dataFeePerByteMinor }: NetworkPolicy,
  kind: PolicyKind,
  at: string,
  problems: string[],
): void {
  const { symbol, decimals } = shipped.coin
  const chargesForData = shipped.family === 'evm' && shipped.feeModel === 'op-stack'
  if (chargesForData && (dataFeePerByteMinor ?? 0n) === 0n)
    problems.push(
      `${at}.${dataAmount} must be above 0: ${shipped.title} charges for each byte of a transaction in addition to its gas. Set the highest amount that you would pay for a byte, such as "1000000000000"`,
    )
  if (feeModel !== undefined)
    problems.push(`${at}.feeModel must be omitted: it is for your own networks without base fees`)
  if (!chargesForData) refuseDataAmount(dataFeePerByteMinor, at, problems)
  if (coin.symbol !== symbol || coin.decimals !== decimals)
    problems.push(`${at}.coin must be { "symbol": "${symbol}", "decimals": ${decimals} }`)
  if (shipped.family !== 'evm') {
    if (chainId !== undefined) problems.push(`${at}.chainId must be omitted: a UTXO network has no chain id`)
    return
  }
  const isRight = kind === 'real' ? chainId === shipped.chainId : isDevChainId(chainId ?? 0)
  if (!isRight) problems.push(`${at}.chainId must be ${kind === 'real' ? shipped.chainId : devIds}`)
}

function refuseDataAmount(dataFeePerByteMinor: bigint | undefined, at: string, problems: string[]): void {
  if (dataFeePerByteMinor !== undefined)
    problems.push(`${at}.${dataAmount} must be omitted: the network charges for gas alone`)
}

/**
 * Checks the chain id of a network that Coffer does not ship. A shipped network must not have the same id.
 */
function requireOwnId(
  { chainId, feeModel, dataFeePerByteMinor }: NetworkPolicy,
  kind: PolicyKind,
  at: string,
  problems: string[],
): void {
  if (feeModel === 'legacy') refuseDataAmount(dataFeePerByteMinor, at, problems)
  if (chainId === undefined) {
    problems.push(`${at}.chainId is missing: only UTXO networks that come with Coffer have none`)
    return
  }
  const shipped = Object.values(networks).find((row) => row.family === 'evm' && row.chainId === chainId)
  if (shipped !== undefined) problems.push(`${at}.chainId ${chainId} belongs to "${shipped.name}"`)
  const isDev = isDevChainId(chainId)
  if (isDev && kind === 'real')
    problems.push(`${at}.chainId ${chainId} belongs to a development chain, for which only --sandbox signs`)
  if (!isDev && kind === 'sandbox')
    problems.push(`${at}.chainId must be ${devIds}: --sandbox signs for no other`)
}

function readAssets(value: unknown, named: Networks, problems: string[]): readonly AssetPolicy[] {
  if (!Array.isArray(value)) {
    problems.push('"assets" must be a list of assets, each with network, symbol, contract and decimals')
    return []
  }
  const read: AssetPolicy[] = []
  for (const [index, entry] of value.entries()) {
    const at = `assets[${index}]`
    const asset = readAsset(objectOf(entry) ?? {}, at, problems)
    const network = named[asset.network]
    if (network === undefined) problems.push(`${at}.network must be one of "networks"`)
    else requireOfNetwork(asset, network, at, problems)
    for (const [before, other] of read.entries()) {
      if (other.network !== asset.network) continue
      if (other.contract === asset.contract)
        problems.push(`${at}.contract is already used by assets[${before}]`)
      if (other.symbol === asset.symbol) problems.push(`${at}.symbol is already used by assets[${before}]`)
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
    problems.push(`${at}.contract must be the address of a token as explorers show it, or null for the coin`)
  return {
    network: typeof network === 'string' ? network : '',
    contract: isContract(contract) ? contract.toLowerCase() : null,
    ...readUnit(entry, at, problems),
    ...readAmounts(entry, assetAmounts, at, problems),
  }
}

/**
 * Checks an asset against its network. An asset without a contract must have the symbol and decimals of the
 * network's coin. A token must have another symbol.
 */
function requireOfNetwork(
  { symbol, decimals, contract }: AssetPolicy,
  { coin, chainId }: NetworkPolicy,
  at: string,
  problems: string[],
): void {
  const isSame = coin.symbol === symbol && coin.decimals === decimals
  if (contract === null && !isSame)
    problems.push(
      `${at} must have the symbol "${coin.symbol}" and ${coin.decimals} decimals, as the network's coin`,
    )
  if (contract !== null && coin.symbol === symbol)
    problems.push(`${at}.symbol is the symbol of the coin: a token must have another one`)
  if (contract !== null && chainId === undefined)
    problems.push(`${at}.contract must be null: a UTXO network has no tokens`)
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
    if (!names.includes(name)) problems.push(`${before}${name} is not known: use ${names.join(', ')}`)
  }
}

/**
 * Decides whether a value is the address of a contract. An address in mixed case must match the checksum of
 * EIP-55, which detects mistyped digits.
 */
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
