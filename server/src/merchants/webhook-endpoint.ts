/** Where a merchant is told of events, and which URLs may be that place. */
import { classifyAddress, isForbiddenTarget } from '../core/network-address.ts'
import { hostOf, isRequestPort, type NetworkPlace, placesOf, portOf } from '../core/network-place.ts'
import type { Secret } from '../core/settings.ts'

export interface WebhookEndpoint {
  readonly url: string
  /** When it was last set. */
  readonly createdAt: Date
  /** Until when the secret before this one signs too; undefined where none does. */
  readonly formerValidUntil: Date | undefined
  /** Until when it asked to be left alone; undefined where it may be sent to now. */
  readonly restUntil: Date | undefined
  /** Since when every attempt has failed, but for long pauses between them. */
  readonly failingSince: Date | undefined
  readonly disabledAt: Date | undefined
  readonly disabledReason: DisabledReason | undefined
}

/** `gone`: it answered 410 Gone. `failing`: it answered nothing but failures for days. */
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

/** What becomes of former secrets as an endpoint is set anew: the current one becomes it, it stays, or there is none. */
export type FormerSecretChange = 'begins' | 'stays' | 'ends'

/** An endpoint's URL with the secret that signs what is sent there. */
export interface SignedTarget {
  readonly url: string
  readonly secret: Secret
}

/**
 * What a new setting means for the secret before it. A receiver at another host is another receiver: what it is sent
 * must not carry a signature that the receiver before would take.
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
  /** Plain HTTP goes to loopback and private hosts alone, as in the sandbox: no event crosses the internet in the clear. */
  readonly isHttpInnerOnly?: boolean
  /** Also loopback, RFC 1918 and unique local addresses, on any port. */
  readonly allowPrivate: boolean
  /** Those of the public internet that webhooks may go to; absent or empty: all but the system ports. */
  readonly ports?: readonly number[]
  /** Where this server itself is reached, and what it stands on: nodes, database, Redis. Never a target. */
  readonly ownUrls: readonly string[]
}

/** What the secret of a merchant's endpoint is sealed for (`core/seal.ts`). */
export function webhookSecretContext(merchantId: string): string {
  return `webhook-endpoint:${merchantId}`
}

/**
 * What is wrong with a webhook's URL, or undefined. No name is resolved here: what a name leads to is checked each
 * time on the address that is connected to.
 */
export function webhookUrlFault(text: string, rules: WebhookRules): string | undefined {
  const url = parseUrl(text)
  if (url === undefined) return 'must be an absolute URL such as https://example.com/hook'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp))
    return 'must be an https URL'
  if (url.protocol === 'http:' && rules.isHttpInnerOnly === true && !isInnerHost(hostOf(url)))
    return needsHttps
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  if (rules.ownUrls.flatMap(placesOf).some((own) => leadsTo(url, own))) return 'must not lead to this server'
  const host = hostOf(url)
  if (isLocalName(host)) return rules.allowPrivate ? undefined : 'must not lead to a private network'
  if (!isAddress(host)) return portFault(url, rules)
  if (isForbiddenTarget(host, rules)) return 'must not lead to a private or reserved address'
  return classifyAddress(host) === 'public' ? portFault(url, rules) : undefined
}

const needsHttps =
  'must be an https URL: in the sandbox plain http goes to this machine and to private networks alone, such as http://localhost:4000'

/** Endings of names that no public name server knows (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`), and usual ones. */
const innerEndings = ['.localhost', '.local', '.internal', '.test', '.home.arpa', '.lan']

/**
 * Whether a host is this machine or in a private network, as far as its name tells; one without a dot is a neighbour's.
 * What a name leads to is checked again on the address that is connected to.
 */
function isInnerHost(host: string): boolean {
  if (isAddress(host)) return classifyAddress(host) !== 'public'
  return !host.includes('.') || innerEndings.some((ending) => host.endsWith(ending))
}

/** What URL parsers repair silently (blanks, backslashes, line ends) is refused: another parser may repair otherwise. */
function parseUrl(text: string): URL | undefined {
  if (/[\s\\\p{Cc}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return undefined
  return URL.canParse(text) ? new URL(text) : undefined
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
}

/** Names that always mean this machine (RFC 6761, section 6.3). */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function leadsTo(url: URL, { host, port }: NetworkPlace): boolean {
  if (portOf(url) !== port) return false
  return hostOf(url) === host || (isThisMachine(hostOf(url)) && isThisMachine(host))
}

function isThisMachine(host: string): boolean {
  // A server that listens on the unspecified address is reached through loopback.
  return isLocalName(host) || host === '0.0.0.0' || host === '::' || classifyAddress(host) === 'loopback'
}

/** Of what may be a public address. A name that leads inside, where that is admitted, may have any port but a system's. */
function portFault(url: URL, { allowPrivate, ports }: WebhookRules): string | undefined {
  const port = portOf(url)
  const isOpen = isRequestPort(
    { protocol: url.protocol, port },
    allowPrivate && !isAddress(hostOf(url)) ? [] : ports,
  )
  return isOpen ? undefined : `must not use port ${port}`
}
