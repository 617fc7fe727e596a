import { type Client, findBy, textOf } from './client.ts'
import type { Narrator } from './narrator.ts'
import type { ReceivedEvent, Receiver } from './receiver.ts'
import type { Wallet } from './wallet.ts'

export interface DemoParts {
  readonly narrator: Narrator
  /** Where Coffer is reached, without a trailing slash. */
  readonly url: string
  readonly nodeUrl: string
  readonly email: string
  readonly password: string
  /** Names the signature header: X-<name>-Signature. */
  readonly serviceName: string
  /** How long to wait for a block or an event that should come. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** The sandbox's own Litecoin chain, or why it has none; absent where it is not to be paid on. */
  readonly litecoin?: { readonly nodeUrl: string } | { readonly missing: string }
  /** Proves the books; `examined` is how many invariants were looked at. */
  verifyBooks(): Promise<{ readonly ok: boolean; readonly examined: number }>
}

/** What the steps work with. */
export interface Session {
  readonly client: Client
  readonly wallet: Wallet
  readonly receiver: Receiver
  readonly secret: string
}

/** The merchant that the demo makes for itself. */
export interface Shop {
  readonly merchantId: string
  readonly token: string
  readonly key: string
}

export const usdtMethodId = 1

/** What the shop has, in USDT where no method is named. */
export async function balanceOf(
  { client }: Session,
  { key, merchantId }: Shop,
  methodId = usdtMethodId,
): Promise<string> {
  const funds = await client.call(200, 'GET', `/merchants/${merchantId}/funds`, { key })
  return textOf(findBy(funds, 'paymentMethodID', methodId), 'balance')
}

export function expectField({ type, data }: ReceivedEvent, name: string, wanted: string): void {
  expectSame(`${name} in ${type}`, String(data[name]), wanted)
}

export function expectSame(what: string, actual: string, wanted: string): void {
  if (actual !== wanted) throw new Error(`${what} is ${actual}, not ${wanted}`)
}

export function verified({ bytes }: ReceivedEvent): string {
  return `signature right over its ${bytes} bytes`
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
