/**
 * Tests the fault case A5: the signer's own policy names by contract and chain the assets that may be signed,
 * and limits are counted for these assets.
 */

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { chainIdMax } from '../../src/chains/evm/evm-networks.ts'
import { feeCharge, type Policy, sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { readPolicy } from '../../src/signer/authorization/read-policy.ts'
import type { Intent, IntentAsset } from '../../src/signing/intent.ts'
import type { SignAnswer, SignRequest } from '../../src/signing/signer-port.ts'
import { approvedPayment, askToPay, askToSign, type TestSigner, useTestSigner } from '../support/signer.ts'

const usdt = `0x${'d1'.repeat(20)}`
const usdc = `0x${'d2'.repeat(20)}`

const limits = { perTransactionMinor: '1000', per24HoursMinor: '1500', totalMinor: '5000' }
const fees = {
  feePerTransactionMinor: `${10n ** 17n}`,
  feesPer24HoursMinor: `${10n ** 18n}`,
  topUpsPer24HoursMinor: '0',
}
const eth = { symbol: 'ETH', decimals: 18 }
const usdtEntry = { network: 'ethereum', symbol: 'USDT', contract: usdt, decimals: 6, ...limits }
const file = {
  networks: { ethereum: { chainId: 31337, coin: eth, ...fees } },
  assets: [{ network: 'ethereum', contract: null, ...eth, ...limits }, usdtEntry],
}

function policyOf(over: object = {}, kind: 'real' | 'sandbox' = 'sandbox'): Policy {
  return readPolicy(JSON.stringify({ ...file, ...over }), 'policy.json', kind)
}

let nonce = 0

async function pay(opened: TestSigner, asset: IntentAsset, netMinor: bigint): Promise<string> {
  nonce += 1
  const payment = approvedPayment(opened.intentKey, { ...asset, netMinor })
  return said(await one(opened, askToPay(payment, { nonce, gas: 90_000n })))
}

async function one({ signer }: TestSigner, request: SignRequest): Promise<SignAnswer | undefined> {
  return (await signer.sign([request]))[0]
}

function said(answer: SignAnswer | undefined): string {
  return answer?.type === 'refused' ? `${answer.code}: ${answer.detail}` : 'signed'
}

const named = (symbol: string, contract: string | null): IntentAsset => ({
  asset: `ethereum/${symbol}`,
  contract,
})

describe('A5 a name that somebody gives to a contract', () => {
  it('applies no limits of another contract, and hides none of its own', async () => {
    const opened = await useTestSigner({ policy: policyOf() })
    expect(await pay(opened, named('USDT', usdt), 1n)).toBe('signed')
    expect(await pay(opened, named('USDT', usdc), 1n)).toBe(
      `not-as-intended: ethereum/USDT is not the name of ${usdc}`,
    )
    expect(await pay(opened, named('DAI', usdt), 1n)).toBe(
      `not-as-intended: ethereum/DAI is not the name of ${usdt}`,
    )
    expect(await pay(opened, named('ETH', usdt), 1n)).toContain('not-as-intended')
    expect(await pay(opened, named('USDT', null), 1n)).toContain('not-as-intended')
    expect(await pay(opened, named('DAI', usdc), 1n)).toContain('not-allowed')
    expect(await pay(opened, named('ETH', null), 1n)).toBe('signed')
  })

  it('allows no move between our own wallets that the policy does not name', async () => {
    const opened = await useTestSigner({ policy: policyOf() })
    const { keys } = opened
    const recipient = keys.hotWallets[1] ?? ''
    const moved = (symbol: string, contract: string) => {
      const intent: Intent = { kind: 'rebalance', hotWallet: 1, ...named(symbol, contract), amountMinor: 7n }
      const asset = { type: 'token' as const, contract }
      nonce += 1
      return askToSign(intent, { type: 'pay', asset, recipient, amountMinor: 7n }, { nonce, gas: 90_000n })
    }
    expect(said(await one(opened, moved('USDT', usdt)))).toBe('signed')
    expect(said(await one(opened, moved('USDC', usdc)))).toContain('not-allowed')
    expect(said(await one(opened, moved('USDT', usdc)))).toContain('not-as-intended')
  })

  it('changes no count: payments of a contract under another name, with an older policy, still count', async () => {
    const opened = await useTestSigner()
    expect(await pay(opened, named('DAI', usdt), 900n)).toBe('signed')
    const again = await opened.reopen({ policy: policyOf() })
    expect(await pay(again, named('USDT', usdt), 601n)).toContain('1501 within 24 hours, 1500 are allowed')
    expect(await pay(again, named('USDT', usdt), 600n)).toBe('signed')
  })
})

describe('A5 a network', () => {
  it('is signed for only on the chain that the policy names, whatever else is requested', async () => {
    const opened = await useTestSigner({ policy: policyOf() })
    const payment = () => approvedPayment(opened.intentKey, { netMinor: 1n })
    expect(said(await one(opened, askToPay(payment(), { chainId: 1337 })))).toContain(
      'Chain 1337 is not ethereum',
    )
    const renamed = await useTestSigner({
      policy: policyOf({ networks: { other: file.networks.ethereum }, assets: [] }),
    })
    expect(said(await one(renamed, askToPay(payment())))).toContain('no account network named ethereum')
  })

  it('may be one that Coffer does not know, described only by the policy', () => {
    const own = { chainId: 137, coin: { symbol: 'POL', decimals: 18 }, ...fees }
    const token = { ...usdtEntry, network: 'polygon', contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' }
    const policy = policyOf({ networks: { polygon: own }, assets: [token] }, 'real')
    expect(policy.networks['polygon']).toMatchObject({ chainId: 137, coin: { symbol: 'POL' } })
    expect(policy.assets).toMatchObject([{ contract: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f' }])
  })
})

describe('A5 a policy that is read again', () => {
  it('applies to later requests, and earlier payments still count', async () => {
    const opened = await useTestSigner({ policy: policyOf() })
    expect(await pay(opened, named('USDT', usdt), 1_000n)).toBe('signed')
    expect(await pay(opened, named('USDT', usdt), 600n)).toContain('over-limit')
    const wider = { ...usdtEntry, per24HoursMinor: '1600' }
    await opened.signer.usePolicy(policyOf({ assets: [wider] }))
    expect(await pay(opened, named('USDT', usdt), 600n)).toBe('signed')
    expect(await pay(opened, named('USDT', usdt), 1n)).toContain('1601 within 24 hours')
    expect((await opened.signer.attest()).limits?.assets).toEqual([
      { network: 'ethereum', symbol: 'USDT', contract: usdt, decimals: 6, perTransactionMinor: 1_000n },
    ])
  })
})

function problemsOf(over: object, kind: 'real' | 'sandbox' = 'real'): string {
  try {
    policyOf(over, kind)
    return ''
  } catch (error) {
    return String(error)
  }
}

const { ethereum } = file.networks
const real = { ethereum: { ...ethereum, chainId: 1 } }

describe('a policy file', () => {
  it('states limits in the smallest unit, of networks by name and of assets by contract', () => {
    expect(policyOf({ networks: real }, 'real')).toEqual({
      networks: {
        ethereum: {
          chainId: 1,
          coin: eth,
          feePerTransactionMinor: 10n ** 17n,
          feesPer24HoursMinor: 10n ** 18n,
          topUpsPer24HoursMinor: 0n,
        },
      },
      assets: [
        {
          network: 'ethereum',
          contract: null,
          ...eth,
          perTransactionMinor: 1_000n,
          per24HoursMinor: 1_500n,
          totalMinor: 5_000n,
        },
        {
          network: 'ethereum',
          symbol: 'USDT',
          contract: usdt,
          decimals: 6,
          perTransactionMinor: 1_000n,
          per24HoursMinor: 1_500n,
          totalMinor: 5_000n,
        },
      ],
    })
  })

  it('is valid in the example of the documentation', async () => {
    const page = await readFile(new URL('../../../docs/signer.md', import.meta.url), 'utf8')
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const shown = readPolicy(example, 'docs/signer.md')
    expect(shown.networks['ethereum']?.feePerTransactionMinor).toBe(5n * 10n ** 16n)
    expect(shown.assets.map(({ symbol }) => symbol)).toEqual(['ETH', 'USDT'])
  })

  it('is refused with all its errors', () => {
    const said = problemsOf({
      networks: { ethereum: { ...ethereum, chainId: '1', coin: 'ETH', extra: '1' } },
      assets: [
        { network: 'nowhere', symbol: 'no name', contract: '0x1', decimals: 6.5, ...limits, totalMinor: 3 },
      ],
      more: {},
    })
    for (const part of [
      'more is not known: use networks, assets',
      'networks."ethereum".extra is not known',
      'networks."ethereum".chainId must be a whole number',
      'networks."ethereum".coin must be an object',
      'assets[0].network must be one of "networks"',
      'assets[0].symbol must be',
      'assets[0].contract must be the address',
      'assets[0].decimals must be',
      'assets[0].totalMinor must be a whole number of the smallest unit in quotes',
    ])
      expect(said).toContain(part)
    expect(problemsOf({ networks: undefined, assets: {} })).toContain('"assets" must be a list of assets')
    expect(() => readPolicy('{', 'policy.json')).toThrow('policy.json is not a JSON object')
  })

  it('gives no known id to another name, no known name another id, and no id twice', () => {
    expect(problemsOf({ networks: { mainnet: real.ethereum }, assets: [] })).toContain(
      '1 belongs to "ethereum"',
    )
    expect(problemsOf({ networks: { ethereum: { ...ethereum, chainId: 10 } } })).toContain(
      'chainId must be 1',
    )
    expect(problemsOf({ networks: { ethereum } })).toContain('chainId must be 1')
    for (const chainId of [chainIdMax + 1, Number.MAX_SAFE_INTEGER, 0, 1.5])
      expect(problemsOf({ networks: { own: { ...ethereum, chainId } } })).toContain(
        `networks."own".chainId must be a whole number from 1 to ${chainIdMax}`,
      )
    expect(problemsOf({ networks: real }, 'sandbox')).toContain('chainId must be 31337 or 1337')
    const one = { ...ethereum, chainId: 137 }
    const two = { ...ethereum, chainId: 137 }
    expect(problemsOf({ networks: { one, two }, assets: [] })).toContain(
      '"two".chainId is already used by "one"',
    )
    expect(problemsOf({ networks: { dev: ethereum }, assets: [] })).toContain(
      'for which only --sandbox signs',
    )
    const coin = { symbol: 'WETH', decimals: 18 }
    expect(problemsOf({ networks: { ethereum: { ...real.ethereum, coin } } })).toContain('"symbol": "ETH"')
    const bitcoin = { chainId: 5, coin: { symbol: 'BTC', decimals: 8 }, ...fees }
    expect(problemsOf({ networks: { bitcoin }, assets: [] })).toContain(
      'must be omitted: a UTXO network has no chain id',
    )
  })

  it('names a contract once and an asset by one name, with the capital letters of its checksum', () => {
    const twice = (over: object) =>
      problemsOf({ networks: real, assets: [usdtEntry, { ...usdtEntry, ...over }] })
    expect(twice({ symbol: 'DAI' })).toContain('assets[1].contract is already used by assets[0]')
    expect(twice({ contract: usdc })).toContain('assets[1].symbol is already used by assets[0]')
    expect(twice({ contract: usdc, symbol: 'ETH' })).toContain('a token must have another one')
    const misspelt = '0xc2132D05D31c914a87C6611C10748AEb04B58e8f'
    expect(twice({ contract: misspelt, symbol: 'DAI' })).toContain('assets[1].contract must be the address')
    const coins = [{ network: 'ethereum', symbol: 'ETH', contract: null, decimals: 8, ...limits }]
    expect(problemsOf({ networks: real, assets: coins })).toContain('and 18 decimals')
  })
})

describe('the data fee of an OP-stack network', () => {
  const base = { chainId: 8453, coin: eth, ...fees }
  const read = (networks: object, kind: 'real' | 'sandbox' = 'real') =>
    readPolicy(JSON.stringify({ networks, assets: [] }), 'policy.json', kind)

  it('must be stated for one that comes with Coffer, and is refused for others that do', () => {
    for (const entry of [base, { ...base, dataFeePerByteMinor: '0' }])
      expect(() => read({ base: entry })).toThrow('networks."base".dataFeePerByteMinor must be above 0')
    expect(read({ base: { ...base, dataFeePerByteMinor: '7' } }).networks['base']).toMatchObject({
      dataFeePerByteMinor: 7n,
    })
    const omitted = /dataFeePerByteMinor must be omitted/
    expect(() => read({ ethereum: { ...base, chainId: 1, dataFeePerByteMinor: '7' } })).toThrow(omitted)
  })

  it('is stated and counted for an own network of the operator', () => {
    const policy = read({ 'my-chain': { ...base, chainId: 77, dataFeePerByteMinor: '7' } })
    const request = { network: 'my-chain', chainId: 77 } as SignRequest
    expect(feeCharge(policy, request, 1_000n, 150).amountMinor).toBe(1_000n + 7n * 150n)
  })

  it('counts towards the limits by the bytes of the signed transaction', () => {
    const policy = read({ base: { ...base, dataFeePerByteMinor: '7' } })
    const request = { network: 'base', chainId: 8453 } as SignRequest
    expect(feeCharge(policy, request, 1_000n, 150).amountMinor).toBe(1_000n + 7n * 150n)
    const sandbox = (network: string) =>
      feeCharge(sandboxPolicy, { ...request, network }, 1n, 150).amountMinor
    expect(sandbox('base')).toBe(1n + 150n * 10n ** 12n)
    expect(sandbox('ethereum')).toBe(1n)
    expect(sandbox('arbitrum')).toBe(1n)
  })
})
