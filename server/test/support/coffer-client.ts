/** A merchant and its customers, who use a running Coffer only through HTTP and the development chain. */
import { vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { decimal } from '../../src/core/money.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { quantity } from './anvil.ts'
import type { RunningCoffer } from './coffer-process.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests state themselves what they expect to find
  readonly body: any
}

export interface Login {
  readonly email: string
  readonly password: string
}

export interface ShownTransaction {
  readonly id: string
  readonly invoiceID: string
  readonly amount: string
  readonly state: string
  readonly txHash: string | null
}

export interface MerchantClient {
  readonly merchantId: string
  readonly key: string
  readonly token: string
  /** Sends a request with the merchant's API key. */
  call(method: string, path: string, json?: unknown): Promise<Answer>
  setWebhook(to: string, secret: string): Promise<void>
  /** Creates a onetime invoice in ETH and returns its id once Coffer has answered. */
  createInvoice(over?: object): Promise<string>
  addressOf(invoiceId: string): Promise<{ address: string; amount: string }>
  /** Returns the states of all invoices by invoice id. */
  states(): Promise<ReadonlyMap<string, string>>
  transactions(): Promise<readonly ShownTransaction[]>
  /** Waits until the invoice has that state. Failed answers in between are ignored. */
  becomes(invoiceId: string, state: string): Promise<void>
}

/** Returns the login that the welcome message of a sandbox prints. */
export function printedLogin({ stdout }: RunningCoffer): Login {
  const [, email, password] = /Log in +(\S+) \/ (\S+)/.exec(stdout) ?? []
  return { email: required(email, 'email'), password: required(password, 'password') }
}

export async function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  json?: unknown,
): Promise<Answer> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(url, {
    method,
    headers: json === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...body,
    signal: AbortSignal.timeout(15_000),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

export async function logIn(url: string, login: Login): Promise<string> {
  const { status, body } = await call(`${url}/auth/login`, 'POST', {}, login)
  if (status !== 200) throw new Error(`login: ${status} ${JSON.stringify(body)}`)
  return body.token
}

/** Creates a merchant with an API key. */
export async function openMerchant(url: string, login: Login, name = 'My shop'): Promise<MerchantClient> {
  const token = await logIn(url, login)
  const bearer = { authorization: `Bearer ${token}` }
  const merchant = await call(`${url}/merchants`, 'POST', bearer, { name })
  const merchantId: string = merchant.body.id
  const generated = await call(`${url}/key/generate/${merchantId}`, 'POST', bearer)
  return merchantAt(url, { merchantId, token, key: generated.body.apiKey })
}

/** Returns a client for the same merchant at the URL where its Coffer is reached now. */
export function merchantAt(
  url: string,
  { merchantId, key, token }: Pick<MerchantClient, 'merchantId' | 'key' | 'token'>,
): MerchantClient {
  const home = `/merchants/${merchantId}`
  const ask = (method: string, path: string, json?: unknown) =>
    call(`${url}${path}`, method, { 'x-api-key': key }, json)
  const expectOk = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body
  }
  const states = async () => {
    const { data } = await expectOk(ask('GET', `${home}/invoices?limit=1000`))
    return new Map<string, string>(data.map(({ id, state }: { id: string; state: string }) => [id, state]))
  }
  return {
    merchantId,
    key,
    token,
    call: ask,
    states,
    setWebhook: async (to, secret) => {
      const bearer = { authorization: `Bearer ${token}` }
      await expectOk(call(`${url}/weebhook/${merchantId}`, 'POST', bearer, { url: to, secret }))
    },
    createInvoice: async (over = {}) => {
      const input = { amount: '25', type: 'onetime', paymentMethodID: 3, ...over }
      return (await expectOk(ask('POST', `${home}/invoices`, input))).id
    },
    addressOf: (invoiceId) => expectOk(ask('GET', `/public/invoices/${invoiceId}/method/3/address`)),
    transactions: async () => (await expectOk(ask('POST', `${home}/transactions/list?limit=1000`, {}))).data,
    becomes: async (invoiceId, state) => {
      await vi.waitFor(
        async () => {
          const found = (await states()).get(invoiceId)
          if (found !== state) throw new Error(`invoice ${invoiceId} is ${found}, not ${state}`)
        },
        { timeout: 60_000, interval: 50 },
      )
    },
  }
}

/** Sends ETH from a development account and returns the transaction's hash, without waiting for a block. */
export async function payFrom(
  nodeUrl: string,
  account: number,
  { address, amount }: { address: string; amount: string },
): Promise<string> {
  const accounts = (await callNode(nodeUrl, 'eth_accounts', [])) as string[]
  const transaction = {
    from: accounts[account],
    to: address,
    value: quantity(decimal(amount, 18)),
    gas: quantity(21_000),
  }
  return (await callNode(nodeUrl, 'eth_sendTransaction', [transaction])) as string
}

/** Decides whether a block of the current chain includes the transaction. */
export async function isMined(nodeUrl: string, txHash: string): Promise<boolean> {
  return (await callNode(nodeUrl, 'eth_getTransactionReceipt', [txHash])) !== null
}
