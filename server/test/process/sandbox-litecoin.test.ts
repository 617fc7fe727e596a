/** Tests a sandbox with a Litecoin chain beside the EVM chain, started as a person starts it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { isAlive } from '../../src/core/process-table.ts'
import { callLitecoin, faucetWallet, walletUrl } from '../../src/sandbox/litecoin-call.ts'
import { findLitecoind } from '../../src/sandbox/litecoind.ts'
import { call, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  runCoffer,
  spawnCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { newAddress } from '../support/litecoin-wallet.ts'
import { hasLitecoind } from '../support/litecoind.ts'

const dataDirs = useDataDirs()
const words = ['sandbox', '--with-litecoin']

/** A PATH without litecoind. Node itself is started by its full path. */
const bare = { PATH: '/nonexistent' }

describe.skipIf(!hasLitecoind)('with litecoind', () => {
  it('adopts its chain after a kill, plays the demo on it, shows it, and leaves nothing behind', async () => {
    const settings = await ownSettings(await dataDirs.fresh())
    const killed = await startCoffer(settings, { words })
    const [, litecoind = ''] = await killed.wrote(/Litecoin +(http:\S+)/)
    killed.signal('SIGKILL')
    await killed.ended
    const coffer = await startCoffer({ ...settings, PORT: settings['PORT'] ?? '0' }, { words })
    expect(coffer.stdout).toContain(`Litecoin   ${litecoind} `)
    expect(coffer.stdout).toMatch(/Disabled +BTC: set UTXO_RPC_BITCOIN/)
    expect((await methodsOf(coffer.url)).map(({ symbol }) => symbol)).toContain('LTC')
    const { code, stdout, stderr } = await runCoffer(['demo', '--with-litecoin'], {
      ...settings,
      PUBLIC_URL: coffer.url,
    })
    expect({ code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/0\.3125 LTC from a wallet outside Coffer/)
    expect(stdout).toContain('0.309375 LTC')
    await coffer.stop()
    expect(processesIn(settings['DATA_DIR'] ?? '')).toEqual([])
  })

  it('pays a withdrawal in litecoin from its deposits, then a treasury withdrawal, and its books are correct', async () => {
    const cold = newAddress()
    const settings = await ownSettings(await dataDirs.fresh(), { COLD_ADDRESS_LITECOIN: cold })
    const coffer = await startCoffer(settings, { words })
    const nodeUrl = required(await findLitecoind(settings['DATA_DIR'] ?? ''), 'the node')
    const merchant = await openMerchant(coffer.url, printedLogin(coffer))
    const invoiceId = await merchant.createInvoice({ amount: '80', paymentMethodID: 5 })
    const { address, amount } = await addressOf(coffer.url, invoiceId)
    const signal = AbortSignal.timeout(180_000)
    const wallet = walletUrl(nodeUrl, faucetWallet)
    await callLitecoin(wallet, 'sendtoaddress', [address, amount], signal)
    await merchant.becomes(invoiceId, 'paid')
    const outside = String(await callLitecoin(wallet, 'getnewaddress', [], signal))
    const home = `/merchants/${merchant.merchantId}/withdrawals`
    const order = { address: outside, amount: '0.5', paymentMethodID: 5 }
    const ordered = await until(async () => {
      const answer = await merchant.call('POST', home, order)
      return answer.status === 201 ? answer.body : undefined
    })
    const done = await until(async () => {
      const { body } = await merchant.call('GET', `${home}/${ordered.id}`)
      return body.state === 'completed' ? body : undefined
    })
    const received = Number(await callLitecoin(wallet, 'getreceivedbyaddress', [outside, 1], signal))
    expect(received).toBeCloseTo(0.495)
    expect(done.txHash).toMatch(/^[0-9a-f]{64}$/)
    const treasuryWithdrawal = [
      'treasury',
      'withdraw',
      '--method',
      '5',
      '--from',
      'fees',
      '--amount',
      '0.003',
    ]
    expect((await runCoffer(treasuryWithdrawal, settings)).code).toBe(0)
    const taken = await until(async () => {
      const found = await callLitecoin(nodeUrl, 'scantxoutset', ['start', [`addr(${cold})`]], signal)
      const { total_amount: amountInCold } = found as { total_amount: number }
      return amountInCold > 0 ? amountInCold : undefined
    })
    expect(taken).toBeCloseTo(0.003, 8)
    const { code, stdout } = await runCoffer(['verify'], settings)
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
    expect(stdout).toMatch(/M20 .*litecoin/)
    await coffer.stop()
  })

  it('stops the chain that a killed Coffer left if it is started without one, and says how to have it', async () => {
    const settings = await ownSettings(await dataDirs.fresh())
    const killed = await startCoffer(settings, { words })
    killed.signal('SIGKILL')
    await killed.ended
    const recorded = join(settings['DATA_DIR'] ?? '', 'litecoind/litecoind.pid.json')
    const { pid } = JSON.parse(readFileSync(recorded, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    const coffer = await startCoffer(settings)
    expect(coffer.stdout).toMatch(/LTC: start with --with-litecoin/)
    expect((await methodsOf(coffer.url)).map(({ symbol }) => symbol)).not.toContain('LTC')
    expect(isAlive(pid)).toBe(false)
    await coffer.stop()
    expect(processesIn(settings['DATA_DIR'] ?? '')).toEqual([])
  })
})

describe('without litecoind', () => {
  it('starts nevertheless, and shows litecoin as unavailable with the remedy', async () => {
    const settings = { ...(await ownSettings(await dataDirs.fresh())), ...bare }
    const coffer = await startCoffer(settings, { words })
    expect(coffer.stdout).toMatch(/LTC: install litecoind so that it is on the PATH/)
    const missing = (await methodsOf(coffer.url, '?include=unavailable')).find(
      ({ symbol }) => symbol === 'LTC',
    )
    expect(missing?.unavailable).toMatch(/install litecoind/)
    const { stdout } = await runCoffer(['demo', '--with-litecoin'], { ...settings, PUBLIC_URL: coffer.url })
    expect(stdout).toMatch(/- +Receive a Litecoin payment +skipped: litecoind is not on the PATH/)
    await coffer.stop()
  })
})

it('a Litecoin chain is refused if one of several processes would run it, and in production', async () => {
  const settings = await ownSettings(await dataDirs.fresh())
  const several = await runCoffer(['start', '--roles', 'api', '--with-litecoin'], settings)
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('set UTXO_RPC_LITECOIN')])
  const production = spawnCoffer(['sandbox'], { ...settings, COFFER_MODE: 'production' })
  expect((await production.ended).code).not.toBe(0)
  expect(existsSync(join(settings['DATA_DIR'] ?? '', 'litecoind'))).toBe(false)
})

async function addressOf(url: string, invoiceId: string): Promise<{ address: string; amount: string }> {
  const { body } = await call(`${url}/public/invoices/${invoiceId}/method/5/address`, 'GET', {})
  return body
}

async function until<T>(probe: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = performance.now() + 180_000
  for (;;) {
    const found = await probe()
    if (found !== undefined) return found
    if (performance.now() > giveUpAt) throw new Error('the awaited state did not come within 180 s')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

interface Listed {
  readonly symbol: string
  readonly unavailable?: string
}

async function methodsOf(url: string, query = ''): Promise<readonly Listed[]> {
  const { body } = await call(`${url}/payment-methods${query}`, 'GET', {})
  return body as readonly Listed[]
}
