/**
 * Tests a network and a token that an operator adds to a running production by commands, with a key that no process of
 * the service has. API, workers, payouts and signer are processes of their own. The signer's policy is extended by the
 * lines that the commands print.
 */
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { decimal } from '../../src/core/money.ts'
import { saveCapitalSource } from '../../src/payments/deposits/unattributed/attribution-store.ts'
import { useAnvil } from '../support/anvil.ts'
import { call, type MerchantClient, openMerchant, payFrom } from '../support/coffer-client.ts'
import {
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { useDatabase } from '../support/database.ts'
import { deployMainTokens, firstLogin, productionSettings, useMarket } from '../support/production.ts'
import {
  makeSigner,
  manyFees,
  manyOfAsset,
  type ProductionSigner,
  type SignerPolicy,
} from '../support/production-signer.ts'
import { isReadableByOthers } from '../support/readable-by-others.ts'

const dataDirs = useDataDirs()
const database = useDatabase({ migrated: false })
const ethereum = useAnvil({ isMain: true, blockTimeS: 0.5 })
const source = useAnvil()
/** The chain id of Scroll, which Coffer does not ship. */
const scrollId = 534_352
const scroll = useAnvil({ chainId: scrollId, blockTimeS: 0.3 })
const market = useMarket({ ETH: '2500', USDT: '1', USDC: '1' })
const patience = { timeout: 180_000, interval: 250 }
const recipient = `0x${'c0ffee'.padStart(40, '4')}`
const ethOnScroll = 1000
const usdcOnScroll = 1001

describe.skipIf(process.getuid?.() !== 0 || !isReadableByOthers())('production, as root', () => {
  let shared: Settings
  /** The settings of the operator's own machine. */
  let operators: Settings
  let url: string
  let shop: MerchantClient
  let made: ProductionSigner
  let usdc: string
  const processes: RunningCoffer[] = []

  beforeAll(async () => {
    await deployMainTokens(ethereum, ethereum.accounts[0] ?? '', source)
    usdc = (await scroll.deployTokens()).USDC
    const orderKey = join(await dataDirs.fresh(), 'order.key')
    made = await makeSigner(await dataDirs.fresh(), orderKey)
    const bare = await productionSettings({ database, nodes: [ethereum.url], rateSource: market.source })
    const keyFile = join(await dataDirs.fresh(), 'operator.key')
    const key = await runCoffer(['networks', 'key'], { ...bare, OPERATOR_KEY_FILE: keyFile })
    expect(key.code, key.stderr).toBe(0)
    shared = { ...bare, XPUB_EVM: made.xpub, OPERATOR_PUBLIC_KEYS: key.stdout.trim() }
    operators = { ...shared, OPERATOR_KEY_FILE: keyFile }
    url = `http://127.0.0.1:${shared['PORT']}`
    const owner = { MIGRATION_DATABASE_URL: database.urls.owner }
    expect((await runCoffer(['migrate'], { ...shared, ...owner })).code).toBe(0)
    const account = { ADMIN_EMAIL: firstLogin.email, ADMIN_PASSWORD: firstLogin.password }
    const start = (which: string, settings: Settings) =>
      startCoffer(settings, { words: ['start', '--roles', which] })
    processes.push(await start('watcher,dispatcher', shared))
    processes.push(await start('api', { ...shared, ...account, ORDER_KEY_FILE: orderKey }))
    const keysOfPayments = { INTENT_KEY_FILE: made.intentKey, ORDER_PUBLIC_KEYS_FILE: made.orderPublicKeys }
    processes.push(await start('payouts', { ...shared, SIGNER_SOCKET: made.socket, ...keysOfPayments }))
    shop = await openMerchant(url, firstLogin)
  }, 240_000)

  it('adds a network and a token by commands, which all running processes take', async () => {
    const words = `--rpc ${scroll.url}/?key=secret,${scroll.url} --title Scroll --chain-id ${scrollId} --coin ETH --explorer https://scrollscan.com --confirmations 1,2,3 --gas-budget 0.05 --yes`
    const unsigned = await runCoffer(['networks', 'add', 'scroll', ...words.split(' ')], {
      ...shared,
      OPERATOR_KEY_FILE: join(await dataDirs.fresh(), 'none.key'),
    })
    expect(unsigned.code).toBe(1)
    const network = await runCoffer(['networks', 'add', 'scroll', ...words.split(' ')], operators)
    expect(network.code, network.stdout + network.stderr).toBe(0)
    const token = await runCoffer(
      ['tokens', 'add', 'scroll', usdc, '--decimals', '6', '--stable', '--yes'],
      operators,
    )
    expect(token.code, token.stdout + token.stderr).toBe(0)
    expect(token.stdout).toContain('OPERATOR_ENTRY_MIN=2')
    await made.extendPolicy(policyIn(network.stdout + token.stdout))
    await vi.waitFor(async () => {
      const { body } = await shop.call('GET', '/payment-methods')
      const ids = (body as { paymentMethodID: number }[]).map(({ paymentMethodID }) => paymentMethodID)
      expect(ids).toEqual(expect.arrayContaining([ethOnScroll, usdcOnScroll]))
    }, patience)
    expect((await call(`${url}/readyz`, 'GET', {})).status).toBe(200)
  })

  it('is paid in the coin and in the token there, sweeps, and pays both out', async () => {
    await fundHotWallets()
    const inCoin = await shop.createInvoice({ amount: '250', paymentMethodID: ethOnScroll })
    await payFrom(scroll.url, 2, await addressOf(inCoin, ethOnScroll))
    await shop.becomes(inCoin, 'paid')
    const inToken = await shop.createInvoice({ amount: '40', paymentMethodID: usdcOnScroll })
    const { address } = await addressOf(inToken, usdcOnScroll)
    await scroll.sendToken({ contract: usdc, to: address, amountMinor: 40_000_000n })
    await shop.becomes(inToken, 'paid')
    await vi.waitFor(
      async () =>
        expect((await shop.transactions()).map(({ state }) => state)).toEqual(['confirmed', 'confirmed']),
      patience,
    )
    const coins = await withdraw('0.05', ethOnScroll)
    const tokens = await withdraw('30', usdcOnScroll)
    for (const id of [coins, tokens])
      await vi.waitFor(async () => expect((await withdrawalOf(id)).state).toBe('completed'), patience)
    expect(BigInt(await scroll.rpc('eth_getBalance', [recipient, 'latest']))).toBeGreaterThan(0n)
    const { fee } = await withdrawalOf(tokens)
    expect(await tokensOf(recipient)).toBe(30_000_000n - decimal(fee, 6))
    expect(await tokensOf(address)).toBe(0n)
    const { code, stdout, stderr } = await runCoffer(['verify'], shared)
    expect(code, stdout + stderr).toBe(0)
    expect(processes.map((one) => one.stdout + one.stderr).join('')).not.toMatch(/secret|own-row-refused/)
  })

  /** Takes the lines that the commands print, with amounts that the operator accepts. */
  function policyIn(printed: string): SignerPolicy {
    const network = required(/in "networks": +"scroll": (\{.*\})/.exec(printed)?.[1], 'the network’s line')
    const assets = [...printed.matchAll(/in "assets": +(\{.*\})/g)].map(([, line = '']) => JSON.parse(line))
    expect(assets.length).toBe(2)
    return {
      networks: { scroll: { ...JSON.parse(network), ...manyFees } },
      assets: assets.map((asset: object) => ({ ...asset, ...manyOfAsset })),
    }
  }

  async function fundHotWallets(): Promise<void> {
    const operator = required(scroll.accounts[7], 'the operator').toLowerCase()
    await saveCapitalSource(database.db, 'scroll', operator)
    const hotWallets = await vi.waitFor(async () => {
      const rows = await database.db.query<{ address: string }>(
        sql`select address from hot_wallet where network = 'scroll'`,
      )
      expect(rows.length).toBeGreaterThan(0)
      return rows
    }, patience)
    for (const { address } of hotWallets) await payFrom(scroll.url, 7, { address, amount: '2' })
  }

  async function addressOf(
    invoiceId: string,
    methodId: number,
  ): Promise<{ address: string; amount: string }> {
    const { status, body } = await shop.call(
      'GET',
      `/public/invoices/${invoiceId}/method/${methodId}/address`,
    )
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  async function tokensOf(address: string): Promise<bigint> {
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
    return BigInt(await scroll.rpc('eth_call', [{ to: usdc, data }, 'latest']))
  }

  async function withdraw(amount: string, paymentMethodID: number): Promise<string> {
    const path = `/merchants/${shop.merchantId}/withdrawals`
    const { status, body } = await shop.call('POST', path, { address: recipient, amount, paymentMethodID })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id
  }

  async function withdrawalOf(id: string): Promise<{ state: string; fee: string }> {
    return (await shop.call('GET', `/merchants/${shop.merchantId}/withdrawals/${id}`)).body
  }
})
