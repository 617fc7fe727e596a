/** Withdrawals to addresses that are contracts on another network than that of the withdrawal. */
import { beforeEach, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { ForeignContracts } from '../../src/outgoing/withdrawals/foreign-contracts/find-foreign-contracts.ts'
import { useDatabase } from '../support/database.ts'
import { auditRecords } from '../support/people/records.ts'
import { containing } from '../support/records/values.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const base = new FakeChain({ seed: 'base' })
const polygon = new FakeChain({ seed: 'polygon' })
const asked: string[] = []

function counting(network: 'base' | 'polygon', chain: FakeChain): ChainReader {
  const reader = openFakeReader(chain, { network })
  return {
    ...reader,
    isContract: async (address, signal) => {
      asked.push(network)
      return reader.isContract?.(address, signal) ?? false
    },
  }
}

const api = useShopApi(database, { otherNetworks: [counting('base', base), counting('polygon', polygon)] })
const silent = (chain: FakeChain, isSilent: boolean) => {
  chain.faults.away = isSilent
}

beforeEach(() => {
  for (const chain of [api.chain, base, polygon]) silent(chain, false)
  asked.length = 0
})

function newContract(...chains: readonly FakeChain[]): string {
  const address = api.chain.newAddress()
  for (const chain of chains) chain.contracts.add(address)
  return address
}

const orderOf = (address: string, over = {}) => ({
  json: { address, amount: '10', paymentMethodID: 1, ...over },
})
const order = (seller: Seller, address: string, over = {}) =>
  seller.call('POST', '/withdrawals', orderOf(address, over))
const preview = async (seller: Seller, address: string) => {
  const { contractOn, uncheckedOn, errors } = (
    await seller.call('POST', '/withdrawals/preview', orderOf(address))
  ).body
  return { contractOn, uncheckedOn, errors }
}
const audited = (seller: Seller) =>
  auditRecords.all(
    database.db,
    { merchantId: seller.merchantId, action: containing('withdrawal.network') },
    'action',
    'details',
  )

describe('a withdrawal to an address that is a contract on another network only', () => {
  it('is refused until it is confirmed, and both are audited', async () => {
    const seller = await api.openFunded()
    const address = newContract(base)
    expect(await preview(seller, address)).toEqual({ contractOn: ['base'], uncheckedOn: [], errors: [] })
    const refused = await order(seller, address)
    expect([refused.status, refused.body.code]).toEqual([422, 'contract-elsewhere'])
    expect(refused.body.detail).toContain(
      `${evmAddresses.display(address)} is a contract on Base, but not on Ethereum`,
    )
    expect(refused.body.detail).toContain('"confirmNetwork": true')
    expect((await seller.call('GET', '/funds')).body[0].balance).toBe('98.9')
    expect((await order(seller, address, { confirmNetwork: true })).status).toBe(201)
    const details = { address, network: 'ethereum', contractOn: ['base'], uncheckedOn: [] }
    expect(await audited(seller)).toEqual([
      { action: 'withdrawal.network_refused', details },
      { action: 'withdrawal.network_confirmed', details },
    ])
  })

  it('is refused even if its own network does not answer', async () => {
    const seller = await api.openFunded()
    silent(api.chain, true)
    const { status, body } = await order(seller, newContract(base))
    expect([status, body.code]).toEqual([422, 'contract-elsewhere'])
  })

  it('is refused if one other network is silent and another one has the contract', async () => {
    const seller = await api.openFunded()
    silent(polygon, true)
    expect((await order(seller, newContract(base))).body.code).toBe('contract-elsewhere')
  })
})

describe('a withdrawal is accepted', () => {
  it('if the address is a contract on its own network too', async () => {
    const seller = await api.openFunded()
    expect((await order(seller, newContract(api.chain, base))).status).toBe(201)
    expect(await audited(seller)).toEqual([])
  })

  it('if nodes of other networks do not answer, which is audited', async () => {
    const seller = await api.openFunded()
    silent(base, true)
    silent(polygon, true)
    const address = newContract()
    expect(await preview(seller, address)).toEqual({
      contractOn: [],
      uncheckedOn: ['base', 'polygon'],
      errors: [],
    })
    expect((await order(seller, address)).status).toBe(201)
    expect(await audited(seller)).toMatchObject([
      {
        action: 'withdrawal.network_unchecked',
        details: { address, contractOn: [], uncheckedOn: ['base', 'polygon'] },
      },
    ])
  })
})

describe('the question to the networks', () => {
  it('is asked once for a contract, and again for an address without code', async () => {
    const seller = await api.openFunded()
    const contract = newContract(base)
    await order(seller, contract)
    await order(seller, contract)
    expect(asked.filter((network) => network === 'base')).toHaveLength(1)
    asked.length = 0
    const account = newContract()
    await order(seller, account)
    await order(seller, account)
    expect(asked).toEqual(['base', 'polygon', 'base', 'polygon'])
  })

  it('reaches networks that are followed later', async () => {
    const chains = [openFakeReader(new FakeChain())]
    const contracts = new ForeignContracts(chains)
    const address = newContract()
    expect(await contracts.find('ethereum', address)).toEqual({ foundOn: [], uncheckedOn: [] })
    const later = new FakeChain()
    later.contracts.add(address)
    chains.push(openFakeReader(later, { network: 'base' }))
    expect(await contracts.find('ethereum', address)).toEqual({ foundOn: ['base'], uncheckedOn: [] })
  })

  it('ends after a time limit, even if a node never answers', async () => {
    const silentReader = {
      network: 'base' as const,
      isContract: (_: string, signal: AbortSignal) =>
        new Promise<boolean>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    }
    const contracts = new ForeignContracts([openFakeReader(new FakeChain()), silentReader])
    expect(await contracts.find('ethereum', newContract())).toEqual({ foundOn: [], uncheckedOn: ['base'] })
  })
})

describe('a claim', () => {
  async function openClaim(seller: Seller): Promise<(over: object) => ReturnType<typeof api.call>> {
    const json = { amount: '20', type: 'withdraw', paymentMethodID: 1 }
    const { body } = await seller.call('POST', '/invoices', { json })
    const token = new URL(body.claimURL).hash.replace('#claim=', '')
    return (over) => api.call('POST', `/public/invoices/${body.id}/claim`, { json: { token, ...over } })
  }

  it('of the address of a contract on another network only is refused until it is confirmed', async () => {
    const seller = await api.openFunded()
    const claim = await openClaim(seller)
    const address = newContract(polygon)
    const refused = await claim({ address })
    expect([refused.status, refused.body.code]).toEqual([422, 'contract-elsewhere'])
    const paid = await claim({ address, confirmNetwork: true })
    expect([paid.status, paid.body.address]).toEqual([201, evmAddresses.display(address)])
    expect((await claim({ address })).body.id).toBe(paid.body.id)
    expect((await audited(seller)).map(({ action }) => action)).toEqual([
      'withdrawal.network_refused',
      'withdrawal.network_confirmed',
    ])
  })

  it('with a wrong token asks no network', async () => {
    const seller = await api.openFunded()
    const claim = await openClaim(seller)
    expect((await claim({ address: newContract(base), token: 'wrong' })).status).toBe(404)
    expect(asked).toEqual([])
  })
})
