import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { openSweeper, type Sweeper, single } from '../sweeps/sweeper.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const api = useShopApi(useDatabase())
let sweeper: Sweeper

beforeAll(async () => {
  sweeper = await openSweeper(api.shop, api.blocks)
})

async function collect(seller: Seller, amountMinor: bigint): Promise<string> {
  const { address } = await sweeper.pay(seller.merchantId, amountMinor)
  const proposal = single(await sweeper.propose())
  const contract = api.shop.methods.byId(1)?.contract ?? ''
  await sweeper.carryOut(proposal, [{ sender: address, asset: { type: 'token', contract }, amountMinor }])
  await sweeper.finish()
  return proposal.id
}

describe('GET sweeps', () => {
  it('lists completed and pending sweeps, newest first, to key and token alike', async () => {
    const seller = await api.openSeller()
    expect((await seller.call('GET', '/sweeps')).body).toEqual({
      data: [],
      total: 0,
      page: 1,
      limit: 20,
    })
    await collect(seller, 10_000_000n)
    await sweeper.pay(seller.merchantId, 7_500_000n)
    const open = single(await sweeper.propose())
    await sweeper.notify(open, 'planned')
    const { status, body } = await seller.call('GET', '/sweeps')
    expect(status).toBe(200)
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const shared = { id: expect.any(String), paymentMethodID: 1, transactions: 1, createdAt: at }
    expect(body).toEqual({
      data: [
        { ...shared, amount: '7.5', state: 'planned', txHash: null, completedAt: null },
        {
          ...shared,
          amount: '10',
          state: 'completed',
          txHash: expect.stringMatching(/^0x/),
          completedAt: at,
        },
      ],
      total: 2,
      page: 1,
      limit: 20,
    })
    const path = `/merchants/${seller.merchantId}/sweeps`
    expect((await api.call('GET', path, { token: seller.token })).body).toEqual(body)
    await sweeper.notify(open, 'conflicted')
  })

  it('filters by states, and has pages and orders', async () => {
    const seller = await api.openSeller()
    for (const amountMinor of [3_000_000n, 1_000_000n, 2_000_000n]) await collect(seller, amountMinor)
    const amounts = async (query: string) =>
      (await seller.call('GET', `/sweeps?${query}`)).body.data.map(({ amount }: { amount: string }) => amount)
    expect(await amounts('orderBy=amount&order=asc')).toEqual(['1', '2', '3'])
    expect(await amounts('limit=1&page=2')).toEqual(['1'])
    expect(await amounts('states[]=completed&states[]=planned')).toEqual(['2', '1', '3'])
    expect(await amounts('states=blocked')).toEqual([])
  })

  it.each([
    ['states[]=done', '/states'],
    ['orderBy=state', '/orderBy'],
    ['limit=0', '/limit'],
    ['asset=USDT', '/asset'],
  ])('refuses ?%s, naming the parameter', async (query, pointer) => {
    const seller = await api.openSeller()
    const { status, body } = await seller.call('GET', `/sweeps?${query}`)
    expect(status).toBe(400)
    expect(JSON.stringify(body.errors)).toContain(pointer)
  })
})

it('collection.completed reports a merchant its own share, as the list shows it', async () => {
  const seller = await api.openSeller()
  await collect(seller, 12_500_000n)
  const { data: events } = (await seller.call('GET', '/events')).body
  const [sweep] = (await seller.call('GET', '/sweeps')).body.data
  expect(events.filter(({ type }: { type: string }) => type === 'collection.completed')).toEqual([
    expect.objectContaining({
      merchantID: seller.merchantId,
      data: {
        sweepID: sweep.id,
        amount: '12.5',
        currency: 'USDT',
        paymentMethodID: 1,
        transactions: 1,
        txHash: sweep.txHash,
        completedAt: sweep.completedAt,
      },
    }),
  ])
})
