/** Parses the command line and the environment. */
import { parseArgs } from 'node:util'
import type { EventType } from '../event.ts'
import { samples } from '../sample-events.ts'
import { UsageError } from './usage-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The URL of the server and the credential. */
export interface ServerOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly token: string | undefined
  /**
   * The merchant, if the user gave one. Otherwise an API key determines the merchant. With a token instead of
   * an API key, the account must have exactly one merchant.
   */
  readonly merchantID: string | undefined
}

export interface ListenOrder extends ServerOptions {
  readonly command: 'listen'
  readonly forward: URL
  /** The sequence number after which events are forwarded. `now` skips all earlier events. */
  readonly from: number | 'now'
  readonly secret: string | undefined
  readonly serviceName: string | undefined
  /** The event types to forward; undefined for all types. */
  readonly types: ReadonlySet<EventType> | undefined
}

export interface SendOrder {
  readonly command: 'send'
  readonly type: EventType
  readonly forward: URL
  readonly secret: string
  readonly serviceName: string
}

export interface TriggerOrder extends ServerOptions {
  readonly command: 'trigger'
}

export interface HelpOrder {
  readonly command: 'help'
  readonly about: string | undefined
}

export type Order = ListenOrder | SendOrder | TriggerOrder | HelpOrder

/**
 * Parses the command line.
 * @throws UsageError
 */
export function readOrder(words: readonly string[], env: Environment): Order {
  const { values, positionals } = parsed(words)
  const [command, ...rest] = positionals
  if (command === undefined || command === 'help' || values.help) {
    return { command: 'help', about: command === 'help' ? rest[0] : command }
  }
  const [type, ...more] = command === 'send' ? rest : [undefined, ...rest]
  if (more.length > 0) throw new UsageError(`"${more.join(' ')}" is not a known argument.`)
  switch (command) {
    case 'listen':
      return listenOrder(values, env)
    case 'send':
      return sendOrder(type, values, env)
    case 'trigger':
      return { command, ...serverOptions(values, env) }
    default:
      throw new UsageError(`Unknown command "${command}". The commands are: listen, send, trigger.`)
  }
}

const options = {
  forward: { type: 'string' },
  url: { type: 'string' },
  merchant: { type: 'string' },
  'api-key': { type: 'string' },
  token: { type: 'string' },
  from: { type: 'string' },
  secret: { type: 'string' },
  'service-name': { type: 'string' },
  events: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

type Values = ReturnType<typeof parsed>['values']

function listenOrder(values: Values, env: Environment): ListenOrder {
  return {
    command: 'listen',
    ...serverOptions(values, env),
    forward: forwardUrl(values.forward),
    from: startOf(values.from),
    secret: filled(values.secret) ?? filled(env['COFFER_WEBHOOK_SECRET']),
    serviceName: filled(values['service-name']) ?? filled(env['COFFER_SERVICE_NAME']),
    types: typesOf(values.events),
  }
}

function sendOrder(type: string | undefined, values: Values, env: Environment): SendOrder {
  const secret = filled(values.secret) ?? filled(env['COFFER_WEBHOOK_SECRET'])
  if (secret === undefined)
    throw new UsageError(
      'A secret is required: set --secret or COFFER_WEBHOOK_SECRET to the secret that your receiver verifies with.',
    )
  if (type === undefined)
    throw new UsageError('An event type is required: coffer-dev send invoice.paid --forward ...')
  const serviceName = filled(values['service-name']) ?? filled(env['COFFER_SERVICE_NAME']) ?? 'Service'
  return { command: 'send', type: eventType(type), forward: forwardUrl(values.forward), secret, serviceName }
}

function serverOptions(values: Values, env: Environment): ServerOptions {
  return {
    url: httpUrl(filled(values.url) ?? filled(env['COFFER_URL']) ?? 'http://127.0.0.1:3000', '--url').href,
    apiKey: filled(values['api-key']) ?? filled(env['COFFER_API_KEY']),
    token: filled(values.token) ?? filled(env['COFFER_TOKEN']),
    merchantID: filled(values.merchant) ?? filled(env['COFFER_MERCHANT_ID']),
  }
}

function forwardUrl(text: string | undefined): URL {
  if (text !== undefined) return httpUrl(text, '--forward')
  throw new UsageError('The URL of your receiver is required: --forward http://localhost:4000/hook')
}

/** Parses a URL. A URL without a scheme, such as `localhost:4000/hook`, is read as an http URL. */
function httpUrl(text: string, option: string): URL {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new UsageError(`${option} must be an http or https URL such as http://localhost:4000/hook: ${text}`)
}

function startOf(text = 'now'): number | 'now' {
  if (text === 'now') return 'now'
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`--from must be "now" or the sequence of the last event you have (0: all): ${text}`)
}

function typesOf(text: string | undefined): ReadonlySet<EventType> | undefined {
  return text === undefined
    ? undefined
    : new Set(
        text
          .trim()
          .split(/[\s,]+/)
          .map(eventType),
      )
}

function eventType(text: string): EventType {
  if (isEventType(text)) return text
  throw new UsageError(`Unknown event type "${text}". The types are: ${Object.keys(samples).join(', ')}.`)
}

function isEventType(text: string): text is EventType {
  return Object.hasOwn(samples, text)
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
