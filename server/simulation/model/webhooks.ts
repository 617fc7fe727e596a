/**
 * The merchants' knowledge of their webhooks: the URLs and secrets that they set, and the requests that
 * arrived. Each request is checked independently of the service, as a receiver does it.
 */
import { createHmac } from 'node:crypto'
import { eventIn, type KnownEvents } from './known-events.ts'

/** A request that arrived at the server of a merchant. */
export interface ReceivedRequest {
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the server confirmed the event before the deadline. */
  readonly isConfirmed: boolean
}

/** A version of a webhook, as the merchant set it. */
export interface WebhookVersion {
  readonly merchantId: string
  readonly host: string
  readonly secret: string
  /** Whether the former secret becomes invalid at once, instead of after a day. */
  readonly revokesFormer: boolean
  readonly requestedMs: number
  /** The token and the time of the API's answer; undefined before the answer. */
  answered: { readonly token: string; readonly atMs: number } | undefined
}

const dayMs = 24 * 60 * 60 * 1000
/**
 * The longest time between reading the secrets and sending the request. It is long because the process can be
 * paused in between.
 */
const pausedMsMax = 3 * 60 * 60 * 1000

export class WebhookModel {
  readonly #known: KnownEvents
  readonly #serviceName: string
  readonly #nowMs: () => number
  readonly versions: WebhookVersion[] = []
  /**
   * Merchants whose webhook was at some time not set, removed or disabled. Their events may not have been
   * delivered.
   */
  readonly unsteady = new Set<string>()
  /** The ids of the events that a receiver confirmed. */
  readonly confirmed = new Set<string>()
  /** One sentence for each wrong request. */
  readonly wrong: string[] = []

  constructor(known: KnownEvents, serviceName: string, nowMs: () => number) {
    this.#known = known
    this.#serviceName = serviceName
    this.#nowMs = nowMs
  }

  /** Checks a request. Call this function when the request arrives. */
  note(request: ReceivedRequest): void {
    const { id, merchantID, type } = eventIn(request.body)
    this.#known.note(request.body)
    if (request.isConfirmed) this.confirmed.add(id)
    const problem = this.#problemOf(request, merchantID, id)
    if (problem !== undefined) this.wrong.push(`a request to ${request.host} with ${type} ${problem}`)
  }

  #problemOf({ host, headers, body }: ReceivedRequest, merchantId: string, id: string): string | undefined {
    const hex = headers[`X-${this.#serviceName}-Signature`]
    const version = this.versions.findLast(
      (one) =>
        one.merchantId === merchantId &&
        one.host === host &&
        createHmac('sha256', one.secret).update(body).digest('hex') === hex,
    )
    if (version === undefined) return 'is signed with no secret that its merchant set for this host'
    const token = headers[`X-${this.#serviceName}-Webhook-Token`]
    if (version.answered !== undefined && version.answered.token !== token)
      return 'names another version of the webhook'
    if (headers['webhook-id'] !== id) return 'names another event'
    const sentS = headers['webhook-timestamp'] ?? ''
    return this.#problemOfStandard(version, `${id}.${sentS}.${body}`, headers['webhook-signature'] ?? '')
  }

  /**
   * Checks the signature header of the Standard Webhooks specification. The header has a second signature
   * while the former secret is valid.
   */
  #problemOfStandard(version: WebhookVersion, content: string, header: string): string | undefined {
    const signed = (secret: string) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
    const [current, former, ...more] = header.split(' ')
    if (current !== signed(version.secret) || more.length > 0) return 'has a wrong webhook-signature'
    if (former === undefined) return undefined
    const signer = this.#formersOf(version).find(({ secret }) => signed(secret) === former)
    if (signer === undefined) return 'is signed with a former secret that has ended'
    const successor = this.#successorOf(signer)
    const endsMs = (successor?.answered?.atMs ?? Number.POSITIVE_INFINITY) + dayMs + pausedMsMax
    return this.#nowMs() <= endsMs ? undefined : 'is signed with a former secret after a day'
  }

  /**
   * Returns the earlier versions whose secrets may still be used for the second signature beside that of
   * `version`.
   */
  #formersOf(version: WebhookVersion): readonly WebhookVersion[] {
    const own = this.versions.filter(({ merchantId }) => merchantId === version.merchantId)
    const formers: WebhookVersion[] = []
    for (let index = own.indexOf(version); index > 0; index -= 1) {
      const before = own[index - 1]
      const after = own[index]
      // If the API has not answered a request, its version may not exist. It therefore does not end this
      // search.
      if (before === undefined || (after?.revokesFormer && after.answered !== undefined)) break
      if (before.host !== version.host && before.answered !== undefined) break
      formers.push(before)
    }
    return formers
  }

  #successorOf(version: WebhookVersion): WebhookVersion | undefined {
    const own = this.versions.filter(({ merchantId }) => merchantId === version.merchantId)
    return own.slice(own.indexOf(version) + 1).find(({ answered }) => answered !== undefined)
  }
}
