import { describe, expect, it } from 'vitest'
import { devPaymentMethods, mainPaymentMethods } from './catalogue.ts'
import {
  coinIdsOf,
  confirmationsRequired,
  type PaymentMethod,
  payerStepMinor,
  paymentMethods,
} from './payment-method.ts'

const usd = (whole: bigint) => whole * 10n ** 8n
const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))

describe('payment methods', () => {
  it('keep their numbers for ever', () => {
    expect(Object.fromEntries(methods.all.map(({ id, asset }) => [id, asset]))).toEqual({
      1: 'ethereum/USDT',
      2: 'ethereum/USDC',
      3: 'ethereum/ETH',
      4: 'bitcoin/BTC',
      5: 'litecoin/LTC',
      6: 'dogecoin/DOGE',
      10: 'ethereum/DAI',
      11: 'ethereum/EURC',
      20: 'base/ETH',
      21: 'base/USDC',
      22: 'base/EURC',
      23: 'base/DAI',
      30: 'arbitrum/ETH',
      31: 'arbitrum/USDC',
      32: 'arbitrum/USDT',
      33: 'arbitrum/DAI',
      40: 'polygon/POL',
      41: 'polygon/USDC',
      42: 'polygon/USDT',
      43: 'polygon/DAI',
      50: 'bsc/BNB',
      51: 'bsc/USDC',
      52: 'bsc/USDT',
      53: 'bsc/DAI',
      60: 'optimism/ETH',
      61: 'optimism/USDC',
      62: 'optimism/USDT',
      63: 'optimism/DAI',
      70: 'avalanche/AVAX',
      71: 'avalanche/USDC',
      72: 'avalanche/USDT',
      73: 'avalanche/EURC',
      80: 'gnosis/XDAI',
      90: 'linea/ETH',
      91: 'linea/USDC',
    })
  })

  it('have contracts in canonical form, each once on its network', () => {
    const contracts = methods.all.flatMap(({ network, contract }) => contract && `${network}/${contract}`)
    const stated = contracts.filter((one) => one !== undefined)
    expect(new Set(stated).size).toBe(stated.length)
    for (const one of stated) expect(one).toMatch(/^[a-z]+\/0x[0-9a-f]{40}$/)
  })

  it('are found by contract, and a token is known by nothing else', () => {
    const [usdt] = methods.all
    expect(methods.byTransferred('ethereum', usdt?.contract)?.symbol).toBe('USDT')
    expect(methods.byTransferred('ethereum', undefined)?.symbol).toBe('ETH')
    expect(methods.byTransferred('ethereum', `0x${'00'.repeat(20)}`)).toBeUndefined()
    expect(methods.byTransferred('other', undefined)).toBeUndefined()
  })

  it('of a network that is off are known but not enabled', () => {
    const off = paymentMethods(mainPaymentMethods(), new Set())
    expect(off.enabled).toEqual([])
    expect(off.byId(1)?.symbol).toBe('USDT')
  })

  it('of a network of tokens alone are enabled, except its coin', () => {
    const all = mainPaymentMethods()
    const followed = new Set(['ethereum', 'base'])
    const some = paymentMethods(all, followed, new Set(coinIdsOf(all, new Set(['base']))))
    const isCoinOfBase = ({ network, contract }: PaymentMethod) =>
      network === 'base' && contract === undefined
    expect(some.followed.some(isCoinOfBase)).toBe(true)
    expect(some.enabled).toEqual(some.followed.filter((method) => !isCoinOfBase(method)))
    for (const { id } of some.followed.filter(isCoinOfBase)) expect(some.enabledById(id)).toBeUndefined()
  })

  it('B17 confirm their largest deposits on the word of two nodes alone, where there are several', () => {
    for (const { confirmationTiers } of methods.all) {
      expect(confirmationTiers.at(-1)).toMatchObject({ uptoUsd: undefined, needsFinality: true })
    }
  })

  it('on a dev chain leave out a token that is not deployed there', () => {
    const coins = mainPaymentMethods().filter(({ contract }) => contract === undefined)
    expect(coins.map(({ symbol }) => symbol)).toContain('ETH')
    expect(devPaymentMethods([]).map(({ asset }) => asset)).toEqual(coins.map(({ asset }) => asset))
  })

  it('show a payer at most six places', () => {
    const steps = methods.all.map((method) => [method.decimals, payerStepMinor(method)])
    expect(Object.fromEntries(steps)).toEqual({ 6: 1n, 8: 100n, 18: 10n ** 12n })
  })
})

describe('confirmations', () => {
  const ether = methods.byId(3)
  if (ether === undefined) throw new Error('ether is in the catalogue')

  it('grow with what a merchant has in deposits that are not final', () => {
    expect(confirmationsRequired(ether, usd(100n))).toBe(6)
    expect(confirmationsRequired(ether, usd(100n) + 1n)).toBe(12)
    expect(confirmationsRequired(ether, usd(10_000n) + 1n)).toBe(64)
  })

  it('are the most there are for what has no price', () => {
    expect(confirmationsRequired(ether, undefined)).toBe(64)
  })
})
