/** What single settings are held to. What a rule says is printed, so it never quotes a secret. */
import { Resolver } from 'node:dns'
import { isAbsolute } from 'node:path'
import { networks, type UtxoNetwork, utxoNetworkOf } from '../../chains/networks.ts'
import { addressCodecOf } from '../../chains/open-chain.ts'
import { accountPathOf, readAccountKey } from '../../chains/utxo/account-key.ts'
import { cookieParameter } from '../../chains/utxo/core-calls.ts'
import { type UtxoChain, utxoChains } from '../../chains/utxo-chains.ts'
import { required } from '../../core/assert.ts'
import { parseDecimal, usdDecimals } from '../../core/money.ts'
import { type Environment, list, ruled, type Secret, type Setting, text } from '../../core/settings.ts'

export function urlProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return undefined
  return `${name} must be a URL starting with http:// or https://`
}

/** The pages name their parts, and the cookie its place, from the root of a host (docs/decisions/0058). */
export function originProblem(value: string | undefined, name: string): string | undefined {
  const problem = urlProblem(value, name)
  if (value === undefined || problem !== undefined) return problem
  const { pathname, search, hash, username, password } = new URL(value)
  if (pathname === '/' && !/[?#]/.test(value) && search + hash + username + password === '') return undefined
  return `${name} must be a host of its own such as https://pay.shop.example, with nothing after it: not below a path`
}

export function databaseProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url !== undefined && ['postgres:', 'postgresql:'].includes(url.protocol)) return undefined
  return `${name} must be a URL such as postgresql://user:password@127.0.0.1:5432/coffer`
}

/** A sandbox prints its secrets and plays with money: it stays on its own machine. */
export function localDatabaseProblem(value: Secret | undefined, name: string): string | undefined {
  const problem = databaseProblem(value, name)
  if (value === undefined || problem !== undefined) return problem
  const url = new URL(value.reveal())
  // The client also takes the host from the query, over the one before it.
  const hosts = [url.hostname, ...url.searchParams.getAll('host'), ...url.searchParams.getAll('hostaddr')]
  if (hosts.every((host) => ['127.0.0.1', '[::1]', '::1', 'localhost', ''].includes(host))) return undefined
  return `${name} is remote, and the sandbox takes only a database on this machine (127.0.0.1)`
}

/** A contract on an EVM network, in any spelling; read as the canonical one. */
export function oracleAddress(name: string, meaning: string): Setting<string | undefined> {
  const read = (text: string | undefined) => {
    const address = text === undefined ? undefined : addressCodecOf(networks.ethereum).canonical(text)
    if (text !== undefined && address === undefined) return { problem: `${name} is no address of ethereum` }
    return { value: address }
  }
  return { name, meaning, read }
}

export function sanctionsFileProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined || isAbsolute(value)) return undefined
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return undefined
  return `${name} must be an absolute path, or a URL starting with https://`
}

export function usdProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined || parseDecimal(value, usdDecimals) !== undefined) return undefined
  return `${name} must be an amount of USD such as 10000`
}

export function redisProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url !== undefined && ['redis:', 'rediss:'].includes(url.protocol)) return undefined
  return `${name} must be a URL such as redis://:password@127.0.0.1:6379/0`
}

export function atLeast(characters: number) {
  return (value: Secret | undefined, name: string): string | undefined =>
    value === undefined || value.reveal().length >= characters
      ? undefined
      : `${name} must have ${characters} characters or more`
}

export function keyProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined || /^[0-9a-fA-F]{64}$/.test(value.reveal())) return undefined
  return `${name} must be 64 hex digits, as "openssl rand -hex 32" prints`
}

/** Tried out, since only a derivation tells. Its errors do not quote the key, which may be a private one by mistake. */
export function xpubProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  try {
    addressCodecOf(networks.ethereum).derive(value, 0, 0, 1)
    return undefined
  } catch (error) {
    return `${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The account key of a network of the UTXO family, tried out as well. */
export function accountXpub(name: string, network: UtxoNetwork['name']): Setting<string | undefined> {
  const { main, regtest } = utxoChains[network]
  const path = accountPathOf(main).replaceAll("'", '’')
  const meaning = `Account xpub at ${path}; needed with UTXO_RPC_${network.toUpperCase()}; from a generated seed in a sandbox.`
  return ruled(text(name, undefined, meaning), (value) =>
    value === undefined || accountFault(value, regtest) === undefined
      ? undefined
      : prefixed(name, accountFault(value, main)),
  )
}

/** As `accountXpub`, on the main chain alone. */
export function mainAccountProblem(network: UtxoNetwork['name']) {
  return (value: string | undefined, name: string): string | undefined =>
    value === undefined ? undefined : prefixed(name, accountFault(value, utxoChains[network].main))
}

function prefixed(name: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${name} cannot be used: ${fault}`
}

function accountFault(value: string, chain: UtxoChain): string | undefined {
  try {
    readAccountKey(value, chain)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Nodes of a network of the UTXO family. */
export function coreNodes(name: string, network: UtxoNetwork['name']): Setting<readonly string[]> {
  const meaning = `Node URLs of ${network}, comma-separated, with user:password or ?cookiefile=<path>; absent: not used.`
  return ruled(list(name, meaning), (urls) => {
    const problem = urls.map((url) => urlProblem(url, name)).find((one) => one !== undefined)
    return problem ?? urls.map((url) => cookieProblem(url, name)).find((one) => one !== undefined)
  })
}

function cookieProblem(url: string, name: string): string | undefined {
  const path = new URL(url).searchParams.get(cookieParameter)
  if (path === null || isAbsolute(path)) return undefined
  return `${name}: the path after ${cookieParameter}= must be an absolute one`
}

export interface AccountSettings {
  readonly xpubBitcoin: Setting<string | undefined>
  readonly xpubLitecoin: Setting<string | undefined>
  readonly xpubDogecoin: Setting<string | undefined>
}

/** The account keys, of which those are needed whose network has nodes; `why` goes on after "must be set". */
export function neededAccounts(
  { xpubBitcoin, xpubLitecoin, xpubDogecoin }: AccountSettings,
  environment: Environment,
  why: string,
): AccountSettings {
  const neededWith = (nodes: string, xpub: Setting<string | undefined>) =>
    environment[nodes] ? needed(xpub, ` with ${nodes}${why}`) : xpub
  return {
    xpubBitcoin: neededWith('UTXO_RPC_BITCOIN', xpubBitcoin),
    xpubLitecoin: neededWith('UTXO_RPC_LITECOIN', xpubLitecoin),
    xpubDogecoin: neededWith('UTXO_RPC_DOGECOIN', xpubDogecoin),
  }
}

export function serviceNameProblem(value: string, name: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]{0,29}$/.test(value)) return undefined
  return `${name} must be letters and digits, as it becomes part of a header name`
}

/** The setting, which must be set; `why` goes on after "must be set". */
export function needed<T>(setting: Setting<T | undefined>, why: string): Setting<T | undefined> {
  return ruled(setting, (value, name) => (value === undefined ? `${name} must be set${why}` : undefined))
}

export function absolutePathProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined || isAbsolute(value)) return undefined
  return `${name} must be an absolute path, such as /run/coffer/signer.sock`
}

export function evmAddressProblem(value: string | undefined, name: string): string | undefined {
  const destination =
    value === undefined ? undefined : addressCodecOf(networks.ethereum).readDestination(value)
  if (destination === undefined || 'address' in destination) return undefined
  return `${name}: the address ${destination.fault}`
}

export interface ColdAddressSettings {
  readonly coldAddressBitcoin: Setting<string | undefined>
  readonly coldAddressLitecoin: Setting<string | undefined>
  readonly coldAddressDogecoin: Setting<string | undefined>
}

/** The same of the UTXO family: of the main chains where money is real, of private ones in a sandbox. */
export function ruledColdAddresses(
  { coldAddressBitcoin, coldAddressLitecoin, coldAddressDogecoin }: ColdAddressSettings,
  kind: 'main' | 'regtest',
): ColdAddressSettings {
  return {
    coldAddressBitcoin: ruled(coldAddressBitcoin, coldAddressProblem('bitcoin', kind)),
    coldAddressLitecoin: ruled(coldAddressLitecoin, coldAddressProblem('litecoin', kind)),
    coldAddressDogecoin: ruled(coldAddressDogecoin, coldAddressProblem('dogecoin', kind)),
  }
}

function coldAddressProblem(network: UtxoNetwork['name'], kind: 'main' | 'regtest') {
  const codec = addressCodecOf(required(utxoNetworkOf(network, kind), 'a network'))
  return (value: string | undefined, name: string): string | undefined => {
    const destination = value === undefined ? undefined : codec.readDestination(value)
    if (destination === undefined || 'address' in destination) return undefined
    const chain = kind === 'main' ? network : `${network}'s private chain (regtest), as a sandbox has it`
    return `${name}: the address ${destination.fault}; it must be one of ${chain}`
  }
}

/** Tried out, as only the resolver knows what it takes: an address, or `address:port`. */
export function dnsServersProblem(values: readonly string[], name: string): string | undefined {
  try {
    new Resolver().setServers(values)
    return undefined
  } catch {
    return `${name} must be addresses of name servers, such as 9.9.9.9 or [2620:fe::fe]:53`
  }
}
