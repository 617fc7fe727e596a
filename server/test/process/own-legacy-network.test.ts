/** Tests a network without base fees that an operator adds to a running Coffer with the commands. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callNode } from '../../src/sandbox/node-call.ts'
import { type Anvil, startTestAnvil } from '../support/anvil.ts'
import { type MerchantClient, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const wait = { timeout: 60_000, interval: 100 }
const ethOnClassic = 1000
const usdcOnClassic = 1001
const chainId = 6_131_337

describe('an operator adds a network without base fees', () => {
  let classic: Anvil
  let settings: Settings
  let coffer: RunningCoffer
  let merchant: MerchantClient
  let usdc: string

  beforeAll(async () => {
    classic = await startTestAnvil({ chainId, blockTimeS: 0.5, hardfork: 'berlin' })
    usdc = (await classic.deployTokens()).USDC
    settings = await ownSettings(await dataDirs.fresh(), { SANDBOX_BLOCK_TIME_S: '0.5' })
    coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
  })
  afterAll(async () => {
    await coffer.stop()
    await classic.stop()
  })

  const home = () => `/merchants/${merchant.merchantId}`
  const run = (...words: readonly string[]) => runCoffer(words, settings)
  const add = (...over: readonly string[]) => {
    const options = `--title Classic --chain-id ${chainId} --coin ETH --explorer https://scan.example --yes`
    return run('networks', 'add', 'classic', '--rpc', classic.url, ...options.split(' '), ...over)
  }
  const said = ({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>) => [code, `${stdout}${stderr}`]

  async function pay(paymentMethodID: number): Promise<void> {
    const invoiceId = await vi.waitFor(() => merchant.createInvoice({ paymentMethodID }), wait)
    await vi.waitFor(async () => {
      const paid = await merchant.call('POST', `${home()}/invoices/${invoiceId}/sandbox-payments`, {})
      expect(paid.status).toBe(201)
    }, wait)
    await merchant.becomes(invoiceId, 'paid')
  }

  async function withdraw(paymentMethodID: number, amount: string, address: string): Promise<string> {
    const order = { address, amount, paymentMethodID }
    const id = await vi.waitFor(async () => {
      const answer = await merchant.call('POST', `${home()}/withdrawals`, order)
      expect(answer.status).toBe(201)
      return answer.body.id as string
    }, wait)
    return vi.waitFor(async () => {
      const { body } = await merchant.call('GET', `${home()}/withdrawals/${id}`)
      expect(body).toMatchObject({ state: 'completed' })
      return body.txHash as string
    }, wait)
  }

  it('is told that the whole price is paid, and must say how much that may be', async () => {
    const checked = await run('networks', 'check', '--rpc', classic.url)
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringMatching(
        /! fees +legacy: no base fee, so the whole gas price is paid, .* now [\d.]+ gwei/,
      ),
    ])
    expect(said(await add())).toEqual([
      expect.any(Number),
      expect.stringMatching(/--max-fee is required .* ask for [\d.]+/),
    ])
    expect(said(await add('--max-fee', '20', '--max-tip', '2'))).toEqual([
      expect.any(Number),
      expect.stringContaining('--max-tip must be left out'),
    ])
    expect((await run('networks', 'list')).stdout).not.toContain('classic')
  })

  it('cannot state another fee model than the one that the nodes show', async () => {
    for (const model of ['eip1559', 'op-stack', 'arbitrum'])
      expect(said(await add('--fee-model', model))).toEqual([
        1,
        expect.stringContaining(`you entered ${model}, but blocks have no base fee`),
      ])
    const london = await startTestAnvil({ chainId: 6_231_337 })
    await london.mine(3)
    const options = `--title Other --chain-id 6231337 --coin ETH --explorer https://scan.example --yes --max-fee 20`
    const other = await run(
      'networks',
      'add',
      'other',
      '--rpc',
      london.url,
      ...options.split(' '),
      '--fee-model',
      'legacy',
    )
    await london.stop()
    expect(said(other)).toEqual([1, expect.stringContaining('you entered legacy, but blocks have base fees')])
  })

  it('adds it with a token, and gets the lines for the policy of the signer', async () => {
    const added = await add('--max-fee', '20', '--fee-model', 'legacy', '--gas-budget', '0.01')
    expect(said(added)).toEqual([0, expect.stringContaining('"feeModel":"legacy"')])
    const token = await run('tokens', 'add', 'classic', usdc, '--decimals', '6', '--stable', '--yes')
    expect(said(token)).toEqual([0, expect.stringMatching(/transfer +delivers what it says/)])
  })

  it('is paid in the coin and in the token, sweeps, and pays both out with transactions of type 0', async () => {
    const address = `0x${'5a'.repeat(20)}`
    const typeOf = async (txHash: string) =>
      (await callNode(classic.url, 'eth_getTransactionByHash', [txHash])) as { readonly type: string }
    await pay(ethOnClassic)
    expect(await typeOf(await withdraw(ethOnClassic, '0.005', address))).toMatchObject({ type: '0x0' })
    expect(
      BigInt(String(await callNode(classic.url, 'eth_getBalance', [address, 'latest']))),
    ).toBeGreaterThan(0n)
    await pay(usdcOnClassic)
    // The hot wallets hold no token, so the withdrawal needs a top-up of the deposit address and a direct sweep.
    expect((await run('sweep')).stdout).toContain('on classic')
    expect(await typeOf(await withdraw(usdcOnClassic, '10', address))).toMatchObject({ type: '0x0' })
    await vi.waitFor(async () => {
      const { code, stdout } = await run('verify')
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
      expect(stdout).toMatch(/M8 .*classic/)
    }, wait)
  })
})
