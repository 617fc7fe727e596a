/**
 * The parts that an operator provides in production: keys, prices and a chain. In these tests, a development
 * chain has the chain id of Ethereum's main network.
 */
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { freePort } from '../../src/core/free-port.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { type Anvil, quantity } from './anvil.ts'
import { writeBooksKey } from './books-key-file.ts'
import type { Settings } from './coffer-process.ts'
import type { TestDatabase } from './database.ts'

export const firstLogin = { email: 'ops@shop.example', password: 'quiet harbour seven lanterns' }

export function contractOf(symbol: 'USDT' | 'USDC' | 'DAI' | 'EURC'): string {
  const method = mainPaymentMethods().find((one) => one.symbol === symbol)
  return required(method?.contract, `the contract of ${symbol}`)
}

/**
 * Puts test tokens at the addresses of the real ones on Ethereum, and gives `holder` a million of each.
 * @param source the chain on which they are deployed first; deploying on `anvil` would end its interval
 * mining
 */
export async function deployMainTokens(anvil: Anvil, holder: string, source: Anvil): Promise<void> {
  const deployed = await source.deployTokens()
  for (const symbol of ['USDT', 'USDC', 'DAI', 'EURC'] as const) {
    const code = await source.rpc('eth_getCode', [deployed[symbol === 'USDT' ? 'USDT' : 'USDC'], 'latest'])
    await anvil.rpc('anvil_setCode', [contractOf(symbol), code])
    await anvil.rpc('anvil_dealERC20', [holder, contractOf(symbol), quantity(10n ** 12n)])
  }
}

/** Starts a price source that answers as Coinbase does. `source` is its address, for RATE_SOURCES. */
export function useMarket(prices: Readonly<Record<string, string>>): { readonly source: string } {
  const server = createServer((request, response) => {
    const [, symbol = ''] = /^\/v2\/prices\/([A-Z]+)-USD\/spot$/.exec(request.url ?? '') ?? []
    response.end(JSON.stringify({ data: { amount: prices[symbol], base: symbol, currency: 'USD' } }))
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void server.close())
  return {
    get source() {
      return `coinbase=http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
  }
}

export interface ProductionParts {
  readonly database: TestDatabase
  readonly nodes: readonly string[]
  readonly rateSource: string
}

/** Returns the settings that all processes of one installation share. A proxy on this host terminates TLS. */
export async function productionSettings(parts: ProductionParts): Promise<Settings> {
  const { database, nodes, rateSource } = parts
  return {
    COFFER_MODE: 'production',
    DATABASE_URL: database.urls.app,
    PUBLIC_URL: 'https://pay.shop.example',
    TRUST_PROXY: 'loopback',
    PORT: String(await freePort()),
    JWT_SECRET: '5cce5a59d39b1b5c5c19a65d2a03cc21f3a3e1a1f9a3a9bd',
    ENCRYPTION_KEY: '8f1d5b6a7c3e2f9081726354a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2',
    BOOKS_KEY_FILE: await writeBooksKey(await mkdtemp(join(tmpdir(), 'coffer-books-key-'))),
    XPUB_EVM: new KeyTree(newMnemonic(24), 1).depositXpub,
    EVM_RPC_ETHEREUM: nodes.join(','),
    RATE_SOURCES: rateSource,
    SCREENING: 'off',
    RATE_LIMIT_PER_SECOND: '0',
  }
}
