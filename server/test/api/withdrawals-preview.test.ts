import { beforeAll, describe, expect, it } from 'vitest'
import { journalRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let seller: Seller
beforeAll(async () => {
  seller = await api.openFunded()
})

const preview = (over: Readonly<Record<string, unknown>> = {}, of: Seller = seller) =>
  of.call('POST', '/withdrawals/preview', {
    json: { address: outside, amount: '10', paymentMethodID: 1, ...over },
  })
const errorsOf = async (over: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
  (await preview(over)).body.errors.map(
    ({ pointer, detail }: { pointer: string; detail: string }) => `${pointer}: ${detail}`,
  )

describe('a preview of a withdrawal', () => {
  it('returns the amounts of the withdrawal, the same as the order that follows', async () => {
    const shown = await preview({ address: outside.toLowerCase() })
    expect(shown).toMatchObject({
      status: 200,
      body: {
        address: outside,
        fee: '0.2',
        net: '9.8',
        available: '98.9',
        currency: 'USDT',
        lookalike: null,
        contractOn: [],
        uncheckedOn: [],
        errors: [],
      },
    })
    const other = await api.openFunded()
    const ordered = await other.call('POST', '/withdrawals', {
      json: { address: outside, amount: '10', paymentMethodID: 1 },
    })
    const { fee, net } = shown.body
    expect(ordered.body).toMatchObject({ address: outside, fee, net })
  })

  it('names all errors at once, each by its field', async () => {
    const { status, body } = await preview({ address: '0xnotanaddress', amount: '9898.91' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ address: null, fee: null, net: null })
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/address', '/amount'])
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'an address of another network',
      { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
      /^\/address:/,
    ],
    ['a wrong checksum', { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed' }, /^\/address:.*checksum/],
    ['more than there is', { amount: '98.91' }, /^\/amount: Insufficient balance: 98.9 USDT available/],
    ['less than the minimum', { amount: '0.9' }, /^\/amount: The minimum withdrawal is/],
    ['no number', { amount: 'much' }, /^\/amount: The amount must be a decimal/],
    ['nothing', { amount: '0' }, /^\/amount: The amount must be above 0/],
  ])('refuses %s', async (_what, over, expected) => {
    const errors = await errorsOf(over)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(expected)
  })

  it('refuses one of our own deposit addresses', async () => {
    const { address } = (await api.addressOf(await seller.createInvoice())).body
    expect(await errorsOf({ address })).toEqual([
      expect.stringMatching(/^\/address: .*belongs to this server/),
    ])
  })

  it('warns of an address that resembles one that was paid before', async () => {
    const other = await api.openFunded()
    await other.call('POST', '/withdrawals', {
      json: { address: outside, amount: '10', paymentMethodID: 1 },
    })
    const lookalike = `${outside.slice(0, 6)}${'1'.repeat(32)}${outside.slice(-4)}`.toLowerCase()
    expect((await preview({ address: lookalike }, other)).body.lookalike).toBe(outside)
    expect((await preview({}, other)).body.lookalike).toBe(null)
  })

  it('writes nothing', async () => {
    const counted = () =>
      Promise.all(
        [withdrawalRecords, auditRecords, journalRecords].map((records) => records.count(database.owner)),
      )
    const before = await counted()
    await preview()
    await preview({ address: '0x' })
    expect(await counted()).toEqual(before)
  })

  it('knows only the caller’s merchants, and only enabled methods', async () => {
    const other = await api.openSeller()
    const path = `/merchants/${other.merchantId}/withdrawals/preview`
    const json = { address: outside, amount: '10', paymentMethodID: 1 }
    expect((await api.call('POST', path, { key: seller.key, json })).status).toBe(403)
    expect((await preview({ paymentMethodID: 99 })).body.errors[0].pointer).toBe('/paymentMethodID')
  })
})
