/** Tests the choice of a coin and its network in a real browser, with a Coffer on three EVM networks. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { type Anvil, startTestAnvil } from '../support/anvil.ts'
import { chromiumPath, useBrowser } from '../support/browser.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { expectValid } from '../support/valid-page.ts'

const folders = useDataDirs()
const browser = useBrowser()
const phone = { width: 390, height: 844 }

describe.skipIf(chromiumPath === undefined)('the checkout of an invoice on several networks', () => {
  const others: Anvil[] = []
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let ids: ReadonlyMap<string, number>

  beforeAll(async () => {
    const base = await startTestAnvil({ network: 'base', blockTimeS: 0.2 })
    others.push(base)
    const bsc = await startTestAnvil({ network: 'bsc', blockTimeS: 0.5 })
    others.push(bsc)
    const settings = await ownSettings(await folders.fresh(), {
      EVM_RPC_BASE: base.url,
      EVM_RPC_BSC: bsc.url,
    })
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const { body } = await merchant.call('GET', '/payment-methods')
    const listed = body as { network: string; symbol: string; paymentMethodID: number }[]
    ids = new Map(
      listed.map(({ network, symbol, paymentMethodID }) => [`${network}/${symbol}`, paymentMethodID]),
    )
  })
  afterAll(async () => {
    for (const chain of others) await chain.stop()
  })

  async function open(assets: readonly string[], options: object = {}) {
    const [first = 0, ...rest] = assets.map((asset) => required(ids.get(asset), asset))
    const id = await merchant.createInvoice({ amount: '10', paymentMethodID: first, paymentMethodIDs: rest })
    const tab = await browser.open({ viewport: phone, ...options })
    const show = () => tab.page.goto(`${coffer.url}/pay/${id}`)
    return { ...tab, show }
  }

  const several = [
    'ethereum/USDT',
    'ethereum/USDC',
    'base/USDC',
    'bsc/USDC',
    'ethereum/ETH',
    'base/ETH',
    'bsc/BNB',
  ]

  const textsOf = async (page: Page, selector: string) =>
    (await page.locator(selector).allInnerTexts()).map((text) => text.replaceAll('\n', ' '))

  it('shows each coin once, and its networks with cost and time, the cheapest first', async () => {
    const tab = await open(several)
    await tab.show()
    const { page } = tab
    expect(await textsOf(page, '.choices > * .choice-name >> visible=true')).toEqual([
      'Tether USD',
      'USD Coin',
      'Ether',
      'BNB',
    ])
    await expectValid(tab, 'checkout-choose-coin')
    await page.locator('summary', { hasText: 'USD Coin' }).click()
    const networks = await textsOf(page, 'details[open] .networks .choice')
    expect(networks.map((text) => text.replace(/ Fee .*/, ''))).toEqual([
      'Base',
      'BNB Smart Chain Binance-Peg USD Coin',
      'Ethereum',
    ])
    expect(networks[0]).toMatch(/Fee below \$0\.01.*credited in about 5 seconds/)
    await expectValid(tab, 'checkout-choose-network')
    await page.getByRole('button', { name: /^Base/ }).click()
    await page.waitForSelector('[data-phase="pay"]', { state: 'attached' })
    expect(await page.locator('.warning').innerText()).toContain('USDC on the Base network')
    await expectValid(tab, 'checkout-pay-base')
  })

  it('needs no script, and opens the networks at once if there is one coin', async () => {
    const { page, show } = await open(['ethereum/USDC', 'base/USDC'], { javaScriptEnabled: false })
    await show()
    await page.getByRole('button', { name: /^Ethereum/ }).click()
    expect(await page.locator('.warning').innerText()).toContain('USDC on the Ethereum network')
  })

  it('adds the network to a browser wallet that does not know it, and pays on it', async () => {
    const { page, show } = await open(['base/ETH'])
    const base = required(others[0], 'Base')
    const asked: string[] = []
    let isKnown = false
    let chainId = '0x1'
    await page.exposeFunction('askWallet', async (method: string, params: { chainId: string }[]) => {
      asked.push(method)
      const [param] = params
      if (method === 'eth_requestAccounts') return base.accounts.slice(1, 2)
      if (method === 'eth_chainId') return chainId
      if (method === 'wallet_addEthereumChain') {
        expect(param).toMatchObject({ chainName: 'Base (test)', rpcUrls: [base.url] })
        isKnown = true
        return null
      }
      if (method === 'wallet_switchEthereumChain') {
        if (!isKnown) return { code: 4902 }
        chainId = required(param, 'the chain').chainId
        return null
      }
      return callNode(base.url, method, params)
    })
    await page.addInitScript(`
      const request = async ({ method, params = [] }) => {
        const answer = await askWallet(method, params)
        if (answer?.code === 4902) throw answer
        return answer
      }
      const detail = { info: { uuid: 'a', name: 'New Wallet', icon: '' }, provider: { request } }
      addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))`)
    await show()
    await page.getByRole('button', { name: 'Pay with New Wallet' }).click()
    await page.waitForSelector('[data-phase="paid"]', { state: 'attached', timeout: 20_000 })
    expect(asked).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_sendTransaction',
    ])
  })
})
