import { type Client, findBy, textOf } from './client.ts'
import type { Narrator } from './narrator.ts'
import type { ReceivedEvent, Receiver } from './receiver.ts'
import type { Wallet } from './wallet.ts'

/**
 * A chain of the sandbox beside the one of Ethereum: its node, or the reason why the sandbox has none. If it is
 * undefined, the demo leaves its steps out without a remark.
 */
export type OtherChain = { readonly nodeUrl: string } | { readonly missing: string }

export interface DemoParts {
  readonly narrator: Narrator
  /** The base URL of Coffer without a trailing slash. */
  readonly url: string
  readonly nodeUrl: string
  readonly email: string
  readonly password: string
  /** The name in the signature header: X-<name>-Signature. */
  readonly serviceName: string
  /** Maximum time to wait for an expected block or event. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  readonly litecoin?: OtherChain
  readonly base?: OtherChain
  /** Verifies the books. `examined` is the number of invariants that were checked. */
  verifyBooks(): Promise<{ readonly ok: boolean; readonly examined: number }>
}

/** The connections and the webhook secret that the steps use. */
export interface Session {
  readonly client: Client
  readonly wallet: Wallet
  readonly receiver: Receiver
  readonly secret: string
}

/** The merchant that the demo creates for itself. */
export interface Shop {
  readonly merchantId: string
  readonly token: string
  readonly key: string
}

export const usdtMethodId = 1

/** Returns the shop's balance in a payment method, by default USDT. */
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
  if (actual !== wanted) throw new Error(`${what} is ${actual}, expected ${wanted}`)
}

export function verified({ bytes }: ReceivedEvent): string {
  return `signature verified over its ${bytes} bytes`
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
