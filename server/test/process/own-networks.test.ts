/** Tests a network and tokens that an operator adds to a running Coffer with the commands. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { callNode } from '../../src/sandbox/node-call.ts'
import { type Anvil, readTestContract, startTestAnvil } from '../support/anvil.ts'
import { call, type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'

const dataDirs = useDataDirs()
const wait = { timeout: 60_000, interval: 100 }
/** The first ids of an operator's own payment methods, in the order in which they are added below. */
const ethOnScroll = 1000
const usdcOnScroll = 1001
const usdtOnScroll = 1002
const chainId = 53_435_231_337

describe('an operator', () => {
  let scroll: Anvil
  let settings: Settings
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let node: FaultProxy | undefined
  let tokens: { readonly USDT: string; readonly USDC: string }

  beforeAll(async () => {
    scroll = await startTestAnvil({ chainId, blockTimeS: 0.5 })
    tokens = await scroll.deployTokens()
    // A node keeps 256 blocks, and a check of the books on a busy machine takes a minute.
    settings = await ownSettings(await dataDirs.fresh(), { SANDBOX_BLOCK_TIME_S: '0.5' })
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
  })
  afterAll(async () => {
    await node?.close()
    await scroll.stop()
  })

  const bearer = () => ({ authorization: `Bearer ${merchant.token}` })
  const home = () => `/merchants/${merchant.merchantId}`
  const run = (...words: readonly string[]) => runCoffer(words, settings)
  const scrollOptions = () =>
    `--rpc ${scroll.url}/?key=secret --title Scroll --chain-id ${chainId} --coin ETH --explorer https://scrollscan.com`
  const addScroll = (...over: readonly string[]) =>
    run('networks', 'add', 'scroll', ...scrollOptions().split(' '), '--yes', ...over)

  async function offered(): Promise<readonly number[]> {
    const { body } = await merchant.call('GET', '/payment-methods')
    return (body as { paymentMethodID: number }[]).map(({ paymentMethodID }) => paymentMethodID)
  }

  async function pay(paymentMethodID: number): Promise<string> {
    const invoiceId = await vi.waitFor(() => merchant.createInvoice({ paymentMethodID }), wait)
    await vi.waitFor(async () => {
      const paid = await merchant.call('POST', `${home()}/invoices/${invoiceId}/sandbox-payments`, {})
      expect(paid.status).toBe(201)
    }, wait)
    await merchant.becomes(invoiceId, 'paid')
    return invoiceId
  }

  async function withdraw(paymentMethodID: number, amount: string, address: string): Promise<void> {
    const order = { address, amount, paymentMethodID }
    const id = await vi.waitFor(async () => {
      const answer = await merchant.call('POST', `${home()}/withdrawals`, order)
      expect(answer.status).toBe(201)
      return answer.body.id as string
    }, wait)
    await vi.waitFor(async () => {
      const { body } = await merchant.call('GET', `${home()}/withdrawals/${id}`)
      expect(body).toMatchObject({ state: 'completed' })
    }, wait)
  }

  async function isGuarded(url: string): Promise<void> {
    const hook = await call(`${coffer.url}/weebhook/${merchant.merchantId}`, 'POST', bearer(), {
      url: `${url}/in`,
      secret: 'a secret of more than thirty-two letters',
    })
    expect([hook.status, JSON.stringify(hook.body)]).toEqual([400, expect.stringContaining('this server')])
  }

  it('is shown what the chain says, and adds no network that does not fit', async () => {
    const checked = await run('networks', 'check', '--rpc', scroll.url)
    expect(checked.stdout).toMatch(new RegExp(`chain id +${chainId}`))
    expect(checked.stdout).toMatch(/finalized +block \d+/)
    expect(checked.stdout).toMatch(/EIP-7702 +works/)
    expect(checked.stdout).toMatch(/traces +trace_block/)
    const wrong = await addScroll('--chain-id', '99931337')
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('not 99931337')])
    const named = await addScroll('--title', 'Base')
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('/title')])
    expect((await run('networks', 'list')).stdout).not.toContain('scroll')
  })

  it('adds a network and tokens, which the running service takes, and no secret is shown', async () => {
    const added = await addScroll()
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('removed entries are noticed')])
    expect(added.stdout).toContain('OPERATOR_ENTRY_MIN=1')
    expect(added.stdout).toContain('"networks":  "scroll"')
    const wrong = await run('tokens', 'add', 'scroll', tokens.USDC, '--decimals', '18', '--yes')
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('the contract says 6')])
    const usdc = await run('tokens', 'add', 'scroll', tokens.USDC, '--decimals', '6', '--stable', '--yes')
    expect(usdc.code).toBe(0)
    expect(usdc.stdout).toMatch(/transfer +delivers what it says/)
    const usdt = await run('tokens', 'add', 'scroll', tokens.USDT, '--decimals', '6', '--stable', '--yes')
    expect(usdt.code).toBe(0)
    await vi.waitFor(
      async () =>
        expect(await offered()).toEqual(expect.arrayContaining([ethOnScroll, usdcOnScroll, usdtOnScroll])),
      wait,
    )
    const said = added.stdout + (await run('networks', 'list')).stdout + coffer.stdout + coffer.stderr
    expect(said).not.toContain('secret')
    // The nodes of a network that was just added are guarded as those of the settings are.
    await isGuarded(scroll.url)
    const { mode } = await stat(join(settings['DATA_DIR'] ?? '', 'operator.key'))
    expect(mode & 0o777).toBe(0o600)
  })

  it('is paid in the coin and in a token there, sweeps, and pays both out', async () => {
    await pay(ethOnScroll)
    const address = `0x${'5a'.repeat(20)}`
    await withdraw(ethOnScroll, '0.005', address)
    expect(BigInt(String(await callNode(scroll.url, 'eth_getBalance', [address, 'latest'])))).toBeGreaterThan(
      0n,
    )
    await pay(usdcOnScroll)
    expect((await run('sweep')).stdout).toContain('on scroll')
    await withdraw(usdcOnScroll, '10', `0x${'5b'.repeat(20)}`)
    await vi.waitFor(async () => {
      const { code, stdout } = await run('verify')
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
      expect(stdout).toMatch(/M8 .*scroll/)
    }, wait)
  })

  it('cannot add a token that keeps a part of each transfer, or that is paused', async () => {
    const taxed = await readTestContract('Taxed')
    const contract = await scroll.deploy(taxed)
    const refused = await run('tokens', 'add', 'scroll', contract, '--decimals', '6', '--yes')
    expect(refused.code).toBe(1)
    expect(refused.stdout).toMatch(/transfer +of 1000003 takes 1000003 and delivers 990003/)
    await scroll.receiptOf(await scroll.sendCall({ contract, artifact: taxed, name: 'pause', args: [] }))
    expect((await run('tokens', 'check', 'scroll', contract)).stdout).toMatch(/pause +it is paused now/)
    const none = await run('tokens', 'check', 'scroll', `0x${'77'.repeat(20)}`)
    expect([none.code, none.stdout]).toEqual([1, expect.stringContaining('no contract')])
  })

  it('disables a token: it is not offered, and what was given out is still credited and paid out', async () => {
    const invoiceId = await merchant.createInvoice({ paymentMethodID: usdtOnScroll })
    const { address } = await (
      await merchant.call('GET', `/public/invoices/${invoiceId}/method/${usdtOnScroll}/address`)
    ).body
    expect((await run('tokens', 'disable', 'scroll/USDT')).stdout).toContain('is disabled')
    await vi.waitFor(async () => expect(await offered()).not.toContain(usdtOnScroll), wait)
    const refused = await merchant.call('POST', `${home()}/invoices`, {
      amount: '25',
      type: 'onetime',
      paymentMethodID: usdtOnScroll,
    })
    expect(refused.status).toBe(400)
    await scroll.sendToken({ contract: tokens.USDT, to: address, amountMinor: 25_000_000n })
    await merchant.becomes(invoiceId, 'paid')
    await run('sweep')
    await withdraw(usdtOnScroll, '10', `0x${'5c'.repeat(20)}`)
    expect((await run('tokens', 'enable', 'scroll/USDT')).stdout).toContain('is enabled')
    await vi.waitFor(async () => expect(await offered()).toContain(usdtOnScroll), wait)
  })

  it('replaces the nodes of its network by a signed entry, and only with nodes on the same chain', async () => {
    const other = await startTestAnvil({ chainId: 99_931_337 })
    onTestFinished(() => other.stop())
    const wrong = await run('networks', 'nodes', 'scroll', '--rpc', other.url, '--yes')
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining(`not ${chainId}`)])
    const none = await run('networks', 'nodes', 'base', '--rpc', scroll.url, '--yes')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('not one of your own networks')])
    node = await startFaultProxy(scroll.url)
    const replaced = await run('networks', 'nodes', 'scroll', '--rpc', node.url, '--yes')
    expect(replaced.code, replaced.stdout + replaced.stderr).toBe(0)
    expect(replaced.stdout).toContain('Restart every process')
    await vi.waitFor(() => expect(coffer.stderr).toContain('restart this process to use them'), wait)
    await isGuarded(node.url)
    await isGuarded(scroll.url)
    // The entry changes nothing about what is offered.
    expect(await offered()).toContain(usdcOnScroll)
  })

  it('finds them again after a restart, with the new nodes', async () => {
    await coffer.stop()
    const before = node?.counts.connections ?? 0
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    await vi.waitFor(async () => expect(await offered()).toContain(usdcOnScroll), wait)
    await pay(usdcOnScroll)
    expect(node?.counts.connections).toBeGreaterThan(before)
    expect(coffer.stderr).not.toContain('own-row-refused')
  })

  it('is told by a halt which network it is about and how to replace its nodes', async () => {
    const { body } = await call(`${coffer.url}/operator/treasury`, 'GET', bearer())
    const assets = body.assets as { paymentMethodID: number; hotWallets: { address: string }[] }[]
    const [wallet] = assets.find(({ paymentMethodID }) => paymentMethodID === ethOnScroll)?.hotWallets ?? []
    await scroll.rpc('anvil_setNonce', [wallet?.address, '0x400'])
    const order = { address: `0x${'5d'.repeat(20)}`, amount: '0.001', paymentMethodID: ethOnScroll }
    await merchant.call('POST', `${home()}/withdrawals`, order)
    await vi.waitFor(async () => {
      const { stdout } = await run('payouts', 'list')
      expect(stdout).toContain('replace them with "coffer networks nodes scroll')
    }, wait)
    await coffer.stop()
  })
})
