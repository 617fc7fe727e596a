/** Tests a Coffer that takes and sends money on two EVM networks at once, started as a person starts it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { freePort } from '../../src/core/free-port.ts'
import { payFromFaucet } from '../../src/sandbox/faucet.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { type Anvil, startTestAnvil } from '../support/anvil.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const ethOnBase = 20
const usdcOnBase = 21
const ethOnEthereum = 3
const wait = { timeout: 60_000, interval: 50 }

describe('a Coffer with nodes of Ethereum and Base', () => {
  let base: Anvil
  let settings: Settings
  let coffer: RunningCoffer
  let merchant: MerchantClient

  beforeAll(async () => {
    base = await startTestAnvil({ network: 'base', blockTimeS: 0.2 })
    settings = await ownSettings(await dataDirs.fresh(), { EVM_RPC_BASE: base.url })
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
  })
  afterAll(() => base.stop())

  const home = () => `/merchants/${merchant.merchantId}`

  async function pay(paymentMethodID: number): Promise<string> {
    const invoiceId = await merchant.createInvoice({ paymentMethodID })
    const paid = await merchant.call('POST', `${home()}/invoices/${invoiceId}/sandbox-payments`, {})
    expect(paid.status).toBe(201)
    await merchant.becomes(invoiceId, 'paid')
    return invoiceId
  }

  async function withdraw(paymentMethodID: number, amount: string, address: string): Promise<string> {
    const ordered = await vi.waitFor(async () => {
      const answer = await merchant.call('POST', `${home()}/withdrawals`, {
        address,
        amount,
        paymentMethodID,
      })
      expect(answer.status).toBe(201)
      return answer.body.id as string
    }, wait)
    await vi.waitFor(async () => {
      const { body } = await merchant.call('GET', `${home()}/withdrawals/${ordered}`)
      expect(body).toMatchObject({ state: 'completed' })
    }, wait)
    return ordered
  }

  const coinOf = async (url: string, address: string) =>
    BigInt(String(await callNode(url, 'eth_getBalance', [address, 'latest'])))

  it('lists the payment methods of both networks', async () => {
    const { body } = await merchant.call('GET', '/payment-methods')
    const listed = (body as { symbol: string; network: string }[]).map(
      ({ symbol, network }) => `${network}/${symbol}`,
    )
    expect(listed).toEqual(['ethereum/USDT', 'ethereum/USDC', 'ethereum/ETH', 'base/ETH', 'base/USDC'])
  })

  it('credits a payment on the network on which it was made, and pays a withdrawal there only', async () => {
    await pay(ethOnEthereum)
    await pay(ethOnBase)
    const address = `0x${'5a'.repeat(20)}`
    await withdraw(ethOnBase, '0.005', address)
    expect(await coinOf(base.url, address)).toBeGreaterThan(0n)
    expect(await coinOf(coffer.nodeUrl, address)).toBe(0n)
    const other = `0x${'5b'.repeat(20)}`
    await withdraw(ethOnEthereum, '0.004', other)
    expect(await coinOf(coffer.nodeUrl, other)).toBeGreaterThan(0n)
    expect(await coinOf(base.url, other)).toBe(0n)
  })

  it('sweeps tokens on the second network, pays them out, and its books agree with both chains', async () => {
    await pay(usdcOnBase)
    expect((await runCoffer(['sweep'], settings)).stdout).toMatch(/on ethereum[\s\S]*on base/)
    // The hot wallets hold no tokens, so a sweep must bring them first.
    await withdraw(usdcOnBase, '10', `0x${'5c'.repeat(20)}`)
    await vi.waitFor(async () => {
      const { code, stdout } = await runCoffer(['verify'], settings)
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
      expect(stdout).toMatch(/M8 .*ethereum/)
      expect(stdout).toMatch(/M8 .*base/)
    }, wait)
  })

  it('shows a payment on the wrong network to the payer and the merchant, who credits, sweeps and withdraws it', async () => {
    const invoiceId = await merchant.createInvoice({ paymentMethodID: ethOnEthereum })
    const { address: to } = await merchant.addressOf(invoiceId)
    const { body: methods } = await merchant.call('GET', '/payment-methods')
    const usdc = (methods as { paymentMethodID: number; contract: string }[]).find(
      ({ paymentMethodID }) => paymentMethodID === usdcOnBase,
    )
    const nodes = { evmUrls: new Map([['base', base.url]]), litecoinUrl: undefined }
    const payment = {
      network: 'base',
      contract: required(usdc, 'USDC on Base').contract,
      decimals: 6,
      to,
      amountMinor: 25_000_000n,
    }
    const txHash = await payFromFaucet(nodes, payment, new AbortController().signal)
    const record = async () => {
      const { body } = await merchant.call('GET', `${home()}/invoices/${invoiceId}`)
      return body.transactions[0]
    }
    await vi.waitFor(async () => {
      expect(await record()).toMatchObject({ isWrongNetwork: true, isCreditable: true, creditFee: '0.35' })
    }, wait)
    const page = await (await fetch(`${coffer.url}/pay/${invoiceId}?lang=en`)).text()
    const text = page.replaceAll(/<[^>]*>/g, '')
    expect(text).toContain('You sent 25 USDC on Base. This invoice asks for Ethereum')
    expect(text).toContain('My shop has been notified and can credit your payment.')
    const { body: trace } = await merchant.call('GET', `${home()}/trace/${txHash}`)
    expect(trace.verdict).toMatchObject({ code: 'wrong-network' })
    expect((await runCoffer(['treasury', 'unattributed'], settings)).stdout).toMatch(
      /25 USDC on base.*wrong network/,
    )

    const { id } = await record()
    const credit = `${home()}/transactions/${id}/credit`
    const early = await merchant.call('POST', `${home()}/transactions/${invoiceId}/credit`)
    expect(early.status).toBe(404)
    const answer = await merchant.call('POST', credit)
    expect([answer.status, answer.body.isCreditable]).toEqual([200, false])
    expect((await merchant.call('POST', credit)).status).toBe(200)
    const { body: unpaid } = await merchant.call('GET', `${home()}/invoices/${invoiceId}`)
    expect(unpaid.state).toBe('pending')

    await runCoffer(['sweep'], settings)
    await withdraw(usdcOnBase, '30', `0x${'5e'.repeat(20)}`)
    await vi.waitFor(async () => {
      const { code, stdout } = await runCoffer(['verify'], settings)
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
    }, wait)
  })

  it('goes on with one network while no node of the other answers', async () => {
    await base.stop()
    await pay(ethOnEthereum)
    await withdraw(ethOnEthereum, '0.003', `0x${'5d'.repeat(20)}`)
    await coffer.stop()
  })
})

describe('--with-base', () => {
  it('starts a chain of Base, plays the demo on it, and leaves nothing behind', async () => {
    const settings = await ownSettings(await dataDirs.fresh(), { SANDBOX_BASE_PORT: `${await freePort()}` })
    const coffer = await startCoffer(settings, { words: ['sandbox', '--with-base'] })
    expect(coffer.stdout).toContain(`base       http://127.0.0.1:${settings['SANDBOX_BASE_PORT']}`)
    const at = { ...settings, PUBLIC_URL: coffer.url }
    const { code, stdout, stderr } = await runCoffer(['demo', '--with-base'], at)
    expect({ code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('25 USDC from a wallet outside Coffer')
    await coffer.stop()
    expect(processesIn(settings['DATA_DIR'] ?? '')).toEqual([])
  })

  it('is refused if one of several processes would run the chain', async () => {
    const settings = await ownSettings(await dataDirs.fresh())
    const { code, stderr } = await runCoffer(['start', '--roles', 'api', '--with-base'], settings)
    expect([code, stderr]).toEqual([2, expect.stringContaining('set EVM_RPC_BASE')])
  })
})

describe('a chain id', () => {
  it('belongs to one network', async () => {
    const twin = await startTestAnvil()
    const settings = await ownSettings(await dataDirs.fresh(), {
      EVM_RPC_ETHEREUM: twin.url,
      EVM_RPC_BASE: twin.url,
    })
    const { code, stderr } = await runCoffer(['start'], settings)
    await twin.stop()
    expect(code).not.toBe(0)
    expect(required(stderr.match(/EVM_RPC_ETHEREUM and EVM_RPC_BASE.*/)?.[0], 'the error')).toContain(
      'are both chain 31337: start the second chain with another id, such as "anvil --chain-id 845331337"',
    )
  })
})
