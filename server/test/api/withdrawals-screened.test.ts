import { afterAll, beforeAll, expect, it } from 'vitest'
import { addressFamilies } from '../../src/app/screening.ts'
import { loadList, unloadList } from '../../src/payments/screening/load-list.ts'
import type { SanctionsOracle } from '../../src/payments/screening/screen.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { auditRecords } from '../support/people/records.ts'
import { beginning } from '../support/records/values.ts'
import { chunks, screeningBy } from '../support/screening.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const onList = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const atOracle = `0x${'0a'.repeat(20)}`
const clean = `0x${'0c'.repeat(20)}`
let isAway = false
const oracle: SanctionsOracle = {
  areListed: async (addresses) => {
    if (isAway) throw new Error('away')
    return addresses.map((address) => address === atOracle)
  },
}
const api = useShopApi(database, { screening: screeningBy({ oracle }) })

beforeAll(async () => {
  const source = { name: 'a test', freshAt: new Date(), chunks: chunks(onList) }
  await loadList({ db: database.db, families: addressFamilies }, source)
})
afterAll(() => unloadList(database))

const order = (address: string) => ({ json: { address, amount: '10', paymentMethodID: 1 } })
const usdtOf = async (seller: Seller) => (await seller.call('GET', '/funds')).body[0].balance

it.each([
  ['the list', onList],
  ['the list, in another spelling', onList.toLowerCase()],
  ['the oracle', atOracle],
])(
  'E15 refuses a destination that is listed by %s; no hold is left and the refusal is audited',
  async (_, address) => {
    const seller = await api.openFunded()
    const before = await usdtOf(seller)
    const { status, body } = await seller.call('POST', '/withdrawals', order(address))
    expect({ status, code: body.code, errors: body.errors }).toEqual({
      status: 422,
      code: 'listed-address',
      errors: [{ pointer: '/address', detail: 'is on a sanctions list' }],
    })
    expect(await usdtOf(seller)).toBe(before)
    expect((await seller.call('GET', '/withdrawals/pending')).body).toEqual([])
    const entries = await auditRecords.all(
      database.db,
      { merchantId: seller.merchantId, action: beginning('withdrawal.') },
      'action',
      'details',
    )
    expect(entries).toEqual([
      { action: 'withdrawal.refused', details: { address: address.toLowerCase(), reason: 'listed-address' } },
    ])
    await expectSoundBooks(api.shop)
  },
)

it('accepts other destinations, and one that cannot be screened yet', async () => {
  const seller = await api.openFunded()
  expect((await seller.call('POST', '/withdrawals', order(clean))).status).toBe(201)
  isAway = true
  try {
    const unheard = `0x${'0d'.repeat(20)}`
    const { status, body } = await seller.call('POST', '/withdrawals', order(unheard))
    expect({ status, stage: body.stage }).toEqual({ status: 201, stage: 'queued' })
  } finally {
    isAway = false
  }
})

it('E15 refuses the claim of a payee with a listed address; the claim stays open for another one', async () => {
  const seller = await api.openFunded()
  const json = { amount: '10', type: 'withdraw', paymentMethodID: 1 }
  const { body: made } = await seller.call('POST', '/invoices', { json })
  const token = new URL(made.claimURL).hash.replace('#claim=', '')
  const claim = (address: string) =>
    api.call('POST', `/public/invoices/${made.id}/claim`, { json: { token, address } })
  const before = await usdtOf(seller)
  const refused = await claim(onList)
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 422, code: 'listed-address' })
  expect(await usdtOf(seller)).toBe(before)
  const [entry] = await auditRecords.all(
    database.db,
    { action: 'withdrawal.refused', merchantId: seller.merchantId },
    'merchantId',
  )
  expect(entry).toBeDefined()
  expect((await claim(clean)).status).toBe(201)
})
