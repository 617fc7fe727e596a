import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { type Method, route } from '../route.ts'
import { operationIdOf } from './operation-ids.ts'

const list = Type.Array(Type.String())
const page = Type.Object({ data: list })
const one = Type.Object({})

it.each<[Method, `/${string}`, typeof list | typeof page | typeof one, string]>([
  ['GET', '/merchants', list, 'listMerchants'],
  ['GET', '/merchants/:merchantID', one, 'getMerchant'],
  ['POST', '/merchants', one, 'createMerchant'],
  ['PUT', '/merchants/:merchantID', one, 'updateMerchant'],
  ['GET', '/merchants/:merchantID/invoices', page, 'listInvoices'],
  ['DELETE', '/merchants/:merchantID/invoices/:invoiceID', one, 'deleteInvoice'],
  ['POST', '/merchants/:merchantID/invoices/:invoiceID/close', one, 'closeInvoice'],
  ['POST', '/merchants/:merchantID/transactions/list', page, 'listTransactions'],
  ['GET', '/merchants/:merchantID/withdrawals/pending', list, 'listPendingWithdrawals'],
  ['GET', '/merchants/:merchantID/fees/amount', one, 'getFeeAmount'],
  ['GET', '/operator/merchants/deleted', list, 'listOperatorDeletedMerchants'],
  ['GET', '/weebhook/:merchantID/deliveries', page, 'listWebhookDeliveries'],
  ['POST', '/key/generate/:merchantID', one, 'generateKey'],
  ['GET', '/key/info/:merchantID', one, 'getKeyInfo'],
  ['POST', '/auth/login', one, 'login'],
])('%s %s is named by what it does', (method, path, reply, name) => {
  const handle = async () => ({ status: 200 as const, body: [] as never })
  const declared = route({ method, path, auth: 'any', summary: '', replies: { 200: reply }, handle })
  expect(operationIdOf(declared)).toBe(name)
})
