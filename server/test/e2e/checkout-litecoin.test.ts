/**
 * Tests the checkout on a chain with a mempool: a real browser, a sandbox, and blocks that leave payments
 * out.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { callLitecoin, faucetWallet, walletUrl } from '../../src/sandbox/litecoin-call.ts'
import { findLitecoind } from '../../src/sandbox/litecoind.ts'
import { chromiumPath, useBrowser } from '../support/browser.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, type RunningCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { expectValid } from '../support/valid-page.ts'

const folders = useDataDirs()
const browser = useBrowser()
const litecoinMethodId = 5

describe.skipIf(chromiumPath === undefined || !hasLitecoind)('the checkout in litecoin, in Chromium', () => {
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let nodeUrl: string

  beforeAll(async () => {
    const dataDir = await folders.fresh()
    const settings = await ownSettings(dataDir, { SANDBOX_BLOCK_TIME_S: '2' })
    coffer = await startCoffer(settings, { words: ['sandbox', '--with-litecoin'] })
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    nodeUrl = required(await findLitecoind(dataDir), 'the node')
  })

  /** Sends a payment that no block includes. It is deprioritised, so that miners count it as a loss. */
  async function payWaiting(address: string, amount: string): Promise<string> {
    const wallet = walletUrl(nodeUrl, faucetWallet)
    const txid = String(await callLitecoin(wallet, 'sendtoaddress', [address, amount]))
    await prioritise(txid, -1)
    return txid
  }

  const prioritise = (txid: string, utxo: 1 | -1) =>
    callLitecoin(nodeUrl, 'prioritisetransaction', [txid, 0, utxo * 100_000_000])

  it('shows an unconfirmed partial payment beside the amount still due, then waits for the block of both', async () => {
    const id = await merchant.createInvoice({ amount: '80', paymentMethodID: litecoinMethodId })
    const tab = await browser.open({ viewport: { width: 390, height: 844 } })
    const { page } = tab
    const phase = (name: string) =>
      page.waitForSelector(`[data-phase="${name}"]`, { state: 'attached', timeout: 20_000 })
    await page.goto(`${coffer.url}/pay/${id}`)
    const address = await page.locator('[data-address]').innerText()
    const due = Number(await page.locator('[data-amount]').innerText())
    const code = await page.locator('.qr path').first().getAttribute('d')
    const rest = Number((due - 0.25).toFixed(6))
    const part = await payWaiting(address, '0.25')
    await phase('part-seen')
    const words = `Waiting to be included in a block: 0.25 LTC. Send ${rest} LTC more to complete the payment.`
    expect(await page.locator('.banner').innerText()).toContain(words)
    expect(await page.locator('#said').textContent()).toContain(words)
    expect(await page.locator('[data-amount]').innerText()).toBe(`${rest}`)
    expect(await page.locator('[data-uri]').getAttribute('href')).toBe(`litecoin:${address}?amount=${rest}`)
    expect(await page.locator('.qr path').first().getAttribute('d')).not.toBe(code)
    expect(await page.locator('.received').innerText()).toMatch(/0\.25 LTC\s+Payment detected/)
    await expectValid(tab, 'checkout-part-seen')
    for (const lang of ['ar', 'fa', 'he', 'de']) {
      await page.goto(`${coffer.url}/pay/${id}?lang=${lang}`)
      await expectValid(tab, `checkout-part-seen-${lang}`, lang === 'ar')
    }
    const last = await payWaiting(address, `${rest}`)
    await phase('seen')
    expect(await page.locator('[data-address]').count()).toBe(0)
    await prioritise(part, 1)
    await prioritise(last, 1)
    await phase('paid')
  })
})
