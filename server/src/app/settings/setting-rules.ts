/** The rules for single settings. The message of a rule is printed, so it never quotes a secret. */
import { Resolver } from 'node:dns'
import { isAbsolute } from 'node:path'
import { networks } from '../../chains/networks.ts'
import { addressCodecOf } from '../../chains/open-chain.ts'
import { parseDecimal, usdDecimals } from '../../core/money.ts'
import { ruled, type Secret, type Setting } from '../../core/settings.ts'

export function urlProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return undefined
  return `${name} must be a URL starting with http:// or https://`
}

/**
 * Returns what is wrong with a URL, or undefined. The URL must be the root of a host, because the pages and
 * the session cookie use paths from the root (docs/decisions/0058).
 */
export function originProblem(value: string | undefined, name: string): string | undefined {
  const problem = urlProblem(value, name)
  if (value === undefined || problem !== undefined) return problem
  const { pathname, search, hash, username, password } = new URL(value)
  if (pathname === '/' && !/[?#]/.test(value) && search + hash + username + password === '') return undefined
  return `${name} must be the root of a host such as https://pay.shop.example, without a path`
}

export function databaseProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url !== undefined && ['postgres:', 'postgresql:'].includes(url.protocol)) return undefined
  return `${name} must be a URL such as postgresql://user:password@127.0.0.1:5432/coffer`
}

export function publicKeysProblem(keys: readonly string[], name: string): string | undefined {
  const areKeys = keys.every((key) => /^[0-9a-f]{64}$/.test(key)) && new Set(keys).size === keys.length
  return areKeys
    ? undefined
    : `${name} must be public keys of 64 hex digits, as "coffer networks key" prints them`
}

/** Requires a database on this host, because a sandbox prints its secrets and handles only test money. */
export function localDatabaseProblem(value: Secret | undefined, name: string): string | undefined {
  const problem = databaseProblem(value, name)
  if (value === undefined || problem !== undefined) return problem
  const url = new URL(value.reveal())
  // The PostgreSQL client also reads a host from the URL's query. That host overrides the host before the
  // path.
  const hosts = [url.hostname, ...url.searchParams.getAll('host'), ...url.searchParams.getAll('hostaddr')]
  if (hosts.every((host) => ['127.0.0.1', '[::1]', '::1', 'localhost', ''].includes(host))) return undefined
  return `${name} is remote; a sandbox accepts only a database on this machine (127.0.0.1)`
}

/**
 * Returns a setting for a contract address on an EVM network. The setting accepts any form of the address and
 * returns the canonical form.
 */
export function oracleAddress(name: string, meaning: string): Setting<string | undefined> {
  const read = (text: string | undefined) => {
    const address = text === undefined ? undefined : addressCodecOf(networks.ethereum).canonical(text)
    if (text !== undefined && address === undefined) return { problem: `${name} is not an ethereum address` }
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
  return `${name} must be an amount in USD such as 10000`
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

/**
 * Checks an xpub by a derivation, which is the only reliable check. The error never quotes the text, because
 * it may be a private key by mistake.
 */
export function xpubProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  try {
    addressCodecOf(networks.ethereum).derive(value, 0, 0, 1)
    return undefined
  } catch (error) {
    return `${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}

export function serviceNameProblem(value: string, name: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]{0,29}$/.test(value)) return undefined
  return `${name} must consist of letters and digits, because it becomes part of a header name`
}

/** Makes a setting required. `why` completes the error message "... must be set". */
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
  return `${name}: the address ${destination.error}`
}

/**
 * Checks name servers by giving them to the resolver, because only the resolver knows the accepted forms: an
 * address, or `address:port`.
 */
export function dnsServersProblem(values: readonly string[], name: string): string | undefined {
  try {
    new Resolver().setServers(values)
    return undefined
  } catch {
    return `${name} must list addresses of name servers, such as 9.9.9.9 or [2620:fe::fe]:53`
  }
}
