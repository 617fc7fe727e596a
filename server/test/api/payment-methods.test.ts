import { expect, it } from 'vitest'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { useDatabase } from '../support/database.ts'
import { useShopApi } from './shop-api.ts'

const api = useShopApi(useDatabase())

it('GET /payment-methods lists the enabled methods by stable numbers, to anyone', async () => {
  const answer = await api.call('GET', '/payment-methods')
  expect(answer.status).toBe(200)
  const shared = {
    network: 'ethereum',
    networkName: 'Ethereum',
    confirmations: 2,
    explorerURL: null,
    internalTransfers: 'immediate',
  }
  const contract = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)
  expect(answer.body).toEqual([
    {
      paymentMethodID: 1,
      symbol: 'USDT',
      name: 'Tether USD',
      decimals: 6,
      contract,
      minimum: '0.5',
      ...shared,
    },
    {
      paymentMethodID: 2,
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      contract,
      minimum: '0.5',
      ...shared,
    },
    {
      paymentMethodID: 3,
      symbol: 'ETH',
      name: 'Ether',
      decimals: 18,
      contract: null,
      minimum: '0.0002',
      ...shared,
    },
  ])
})

it('GET /payment-methods ignores credentials, valid or not, and takes no parameters', async () => {
  const { token } = await api.register()
  for (const options of [
    { token },
    { token: 'junk' },
    { key: 'junk' },
    { headers: { authorization: 'Basic x' } },
  ]) {
    expect((await api.call('GET', '/payment-methods', options)).status).toBe(200)
  }
  expect((await api.call('GET', '/payment-methods?limit=1')).status).toBe(400)
})

it('GET /payment-methods?include=unavailable lists the others too, each with what would enable it', async () => {
  const { status, body } = await api.call('GET', '/payment-methods?include=unavailable')
  expect(status).toBe(200)
  const coinsElsewhere = mainPaymentMethods().filter(
    ({ network, contract }) => network !== 'ethereum' && contract === undefined,
  )
  const others = body.filter(({ unavailable }: { unavailable?: string }) => unavailable !== undefined)
  expect(others.map(({ symbol }: { symbol: string }) => symbol)).toEqual(
    coinsElsewhere.map(({ symbol }) => symbol),
  )
  expect(coinsElsewhere.slice(0, 3).map(({ symbol }) => symbol)).toEqual(['BTC', 'LTC', 'DOGE'])
  expect(others[1]).toMatchObject({ paymentMethodID: 5, contract: null, minimum: '0.005' })
  expect(others[1].unavailable).toMatch(/does not follow the litecoin chain.*--with-litecoin/)
  expect((await api.call('GET', '/payment-methods?include=all')).status).toBe(400)
})
