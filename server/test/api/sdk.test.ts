/**
 * Tests the published client against the real API, with the calls that a merchant's developer makes first.
 */
import { describe, expect, it } from 'vitest'
import { CofferError } from '../../../sdk/src/index.ts'
import { useDatabase } from '../support/database.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

describe('the SDK', () => {
  it('sells: an invoice, its address, its payment, its balance', async () => {
    const { merchantId: merchantID, key: apiKey } = await api.openSeller()
    const coffer = api.client({ apiKey })
    const body = { amount: '10', type: 'onetime', paymentMethodID: 1 } as const
    const { id } = await coffer.createInvoice({ merchantID, body })
    const { data, total } = await coffer.listInvoices({ merchantID, types: ['onetime'], states: ['pending'] })
    expect({ ids: data.map((invoice) => invoice.id), total }).toEqual({ ids: [id], total: 1 })
    const { amount, expiresAt } = await coffer.getPaymentAddress({ invoiceID: id, methodID: 1 })
    expect([amount, Date.parse(expiresAt) > Date.now()]).toEqual(['10', true])
    expect((await coffer.listPaymentAddresses({ invoiceID: id })).map(({ symbol }) => symbol)).toEqual([
      'USDT',
    ])
    const funds = await coffer.listFunds({ merchantID })
    expect(funds.map(({ symbol, balance }) => [symbol, balance])).toContainEqual(['USDT', '0'])
  })

  it('administers: tokens, settings, webhook, key', async () => {
    const { token, merchantId: merchantID } = await api.openSeller()
    const coffer = api.client({ token })
    await coffer.updateMerchant({ merchantID, body: { name: 'Corner Shop' } })
    expect(await coffer.getMerchant({ merchantID })).toMatchObject({ id: merchantID, name: 'Corner Shop' })
    const { id } = await coffer.createToken({ body: { name: 'till', days: 1 } })
    expect((await coffer.listTokens()).map((made) => made.id)).toEqual([id])
    expect(await coffer.deleteToken({ tokenID: id })).toBeUndefined()
    await coffer.revokeKey({ merchantID })
    await expect(coffer.getKeyInfo({ merchantID })).rejects.toMatchObject({ status: 404, code: 'not-found' })
  })

  it('reads lists to their end', async () => {
    const seller = await api.openSeller()
    const made = [await seller.createInvoice(), await seller.createInvoice(), await seller.createInvoice()]
    const seen: string[] = []
    const input = { merchantID: seller.merchantId, limit: 2 }
    for await (const { id } of api.client({ apiKey: seller.key }).each('listInvoices', input)) seen.push(id)
    expect(seen).toEqual(made)
  })

  it("throws the server's refusal, with the invalid field", async () => {
    const { merchantId: merchantID, key: apiKey } = await api.openSeller()
    const body = { amount: '-1', type: 'onetime', paymentMethodID: 1 } as const
    const refused = await api
      .client({ apiKey })
      .createInvoice({ merchantID, body })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(CofferError)
    expect(refused).toMatchObject({ status: 400, code: 'invalid-request', errors: [{ pointer: '/amount' }] })
  })

  it('distinguishes credentials: a key is refused where a Bearer token is required', async () => {
    const { merchantId: merchantID, key: apiKey } = await api.openSeller()
    await expect(api.client({ apiKey }).generateKey({ merchantID })).rejects.toMatchObject({ status: 403 })
    await expect(api.client().listMerchants()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
  })
})
