/** The webhook endpoint of a merchant, and the rules for its URL. */
import { classifyAddress, isForbiddenTarget } from '../core/network-address.ts'
import { endpointsOf, hostOf, isRequestPort, type NetworkEndpoint, portOf } from '../core/network-endpoint.ts'
import type { Secret } from '../core/settings.ts'

export interface WebhookEndpoint {
  readonly url: string
  /** Time when the endpoint was last set. */
  readonly createdAt: Date
  /** Time until which the previous secret also signs deliveries; undefined if there is no previous secret. */
  readonly formerValidUntil: Date | undefined
  /** End of the pause that the endpoint asked for; undefined if it accepts deliveries now. */
  readonly restUntil: Date | undefined
  /**
   * Time of the first failure in the current series of failures; undefined if the last attempt succeeded. If
   * no attempt has failed for a long time, the next failure starts a new series.
   */
  readonly failingSince: Date | undefined
  readonly disabledAt: Date | undefined
  readonly disabledReason: DisabledReason | undefined
}

/** `gone`: the endpoint answered 410 Gone. `failing`: every attempt has failed for days. */
export type DisabledReason = (typeof disabledReasons)[number]
export const disabledReasons = ['gone', 'failing'] as const

export type WebhookState = (typeof webhookStates)[number]
export const webhookStates = ['active', 'failing', 'disabled'] as const

export function webhookState({
  failingSince,
  disabledAt,
}: Pick<WebhookEndpoint, 'failingSince' | 'disabledAt'>): WebhookState {
  if (disabledAt !== undefined) return 'disabled'
  return failingSince === undefined ? 'active' : 'failing'
}

/**
 * The effect on the previous secret when an endpoint is set again. `begins`: the secret that was current
 * becomes the previous secret. `stays`: the previous secret is kept. `ends`: the previous secret is deleted.
 */
export type FormerSecretChange = 'begins' | 'stays' | 'ends'

/** An endpoint's URL and the secret that signs the endpoint's deliveries. */
export interface SignedTarget {
  readonly url: string
  readonly secret: Secret
}

/**
 * Returns what happens to the previous secret when `before` is replaced by `after`. A new host is a new
 * receiver. The previous secret then ends, so that deliveries to the new receiver carry no signature that the
 * previous receiver would accept.
 */
export function formerSecretChange(
  before: SignedTarget,
  after: SignedTarget,
  isRevoked: boolean,
): FormerSecretChange {
  if (isRevoked || new URL(before.url).host !== new URL(after.url).host) return 'ends'
  return before.secret.reveal() === after.secret.reveal() ? 'stays' : 'begins'
}

export interface WebhookRules {
  readonly allowHttp: boolean
  /**
   * If true, plain HTTP is allowed only to loopback and private hosts, so that no event crosses the internet
   * unencrypted. The sandbox sets this rule. If false or undefined, `allowHttp` allows plain HTTP to public
   * hosts too.
   */
  readonly isHttpInnerOnly?: boolean
  /** Allows loopback, RFC 1918 and unique local addresses too, on any port. */
  readonly allowPrivate: boolean
  /**
   * Ports allowed on the public internet. If undefined or empty, 443 and all ports from 1024 are allowed.
   * Plain HTTP may always use 80.
   */
  readonly ports?: readonly number[]
  /** URLs of this server and of its nodes, database and Redis. They are never allowed as targets. */
  readonly ownUrls: readonly string[]
}

/** Returns the context of a webhook secret. An encrypted secret can be decrypted only with its context. */
export function webhookSecretContext(merchantId: string): string {
  return `webhook-endpoint:${merchantId}`
}

/**
 * Returns the error in a webhook's URL, or undefined. Host names are not resolved during this check. Each
 * connection to the endpoint checks the address to which the host name resolves.
 */
export function webhookUrlError(text: string, rules: WebhookRules): string | undefined {
  const url = parseUrl(text)
  if (url === undefined) return 'must be an absolute URL such as https://example.com/hook'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp))
    return 'must be an https URL'
  if (url.protocol === 'http:' && rules.isHttpInnerOnly === true && !isInnerHost(hostOf(url)))
    return needsHttps
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (rules.ownUrls.flatMap(endpointsOf).some((own) => leadsTo(url, own)))
    return 'must not point to this server'
  const host = hostOf(url)
  if (isLocalName(host)) return rules.allowPrivate ? undefined : 'must not point to a private network'
  if (!isAddress(host)) return portError(url, rules)
  if (isForbiddenTarget(host, rules)) return 'must not point to a private or reserved address'
  return classifyAddress(host) === 'public' ? portError(url, rules) : undefined
}

const needsHttps =
  'must be an https URL: the sandbox allows plain http only to this machine and to private networks, such as http://localhost:4000'

/**
 * Endings of names of internal hosts. Public name servers do not know such names, by standard (RFC 6761, RFC
 * 6762, RFC 8375, ICANN's `internal`) or by custom.
 */
const innerEndings = ['.localhost', '.local', '.internal', '.test', '.home.arpa', '.lan']

/**
 * Decides from a host's name or address whether the host is this machine or in a private network. A name
 * without a dot is taken as a name in the local network. The address to which a name resolves is checked at
 * each connection as well.
 */
function isInnerHost(host: string): boolean {
  if (isAddress(host)) return classifyAddress(host) !== 'public'
  return !host.includes('.') || innerEndings.some((ending) => host.endsWith(ending))
}

/**
 * Parses a URL. It rejects texts that URL parsers repair silently (blanks, backslashes, line breaks), because
 * another parser may repair them differently.
 */
function parseUrl(text: string): URL | undefined {
  if (/[\s\\\p{Cc}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return undefined
  return URL.canParse(text) ? new URL(text) : undefined
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
}

/** Decides whether a name always means this host (RFC 6761, section 6.3). */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function leadsTo(url: URL, { host, port }: NetworkEndpoint): boolean {
  if (portOf(url) !== port) return false
  return hostOf(url) === host || (isThisHost(hostOf(url)) && isThisHost(host))
}

function isThisHost(host: string): boolean {
  // A server that listens on the unspecified address can be reached through loopback.
  return isLocalName(host) || host === '0.0.0.0' || host === '::' || classifyAddress(host) === 'loopback'
}

/**
 * Returns the error in the port of a URL, or undefined. The URL's host is a public address or a host name.
 * `ports` lists the allowed ports (see `isRequestPort`). It is ignored for host names if private targets are
 * allowed, because a host name may resolve to a private address. The allowed ports are then 443, every port
 * from 1024, and 80 with plain HTTP.
 */
function portError(url: URL, { allowPrivate, ports }: WebhookRules): string | undefined {
  const port = portOf(url)
  const isOpen = isRequestPort(
    { protocol: url.protocol, port },
    allowPrivate && !isAddress(hostOf(url)) ? [] : ports,
  )
  return isOpen ? undefined : `must not use port ${port}`
}
