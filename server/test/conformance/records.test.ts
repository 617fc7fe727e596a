/** Compares the fields of the API's answers with the specification's own tables of fields. */
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'
import { readSpecification } from './statements.ts'

const api = useShopApi(useDatabase())

interface Field {
  readonly record: string
  readonly field: string
  readonly type: string
  readonly notes: string
}

const fields: readonly Field[] = readSpecification().flatMap(({ section, text }) => {
  const record = /^Resources and their fields \/ (\w+(?: \w+)*)/.exec(section)?.[1]
  const [field = '', type, notes = ''] = text.split(' · ')
  return record === undefined || type === undefined ? [] : [{ record, field, type, notes }]
})

type Json = Readonly<Record<string, unknown>>

/** The answers that must show the fields of each record. */
const answered: Record<string, readonly Json[]> = {}

beforeAll(async () => {
  const seller = await api.openSeller()
  const { merchantId, token } = seller
  const webhook = { url: 'https://shop.example/hook', secret: 's'.repeat(32) }
  await api.call('POST', `/weebhook/${merchantId}`, { token, json: webhook })
  const invoiceId = await seller.createInvoice({ description: 'a lamp' })
  const address = (await api.addressOf(invoiceId)).body
  await api.blocks.mine([api.blocks.pay((await api.shop.addressFor(invoiceId)).address, 10_000_000n)])
  await api.blocks.mine()
  const transactions = (await seller.call('POST', '/transactions/list')).body.data
  const withdrawal = { address: `0x${'c0ffee'.repeat(6)}c0de`, amount: '2', paymentMethodID: 1 }
  Object.assign(answered, {
    Merchant: [(await seller.call('GET', '')).body, (await api.call('GET', '/merchants', { token })).body[0]],
    'Balance entry': (await seller.call('GET', '/funds')).body,
    Invoice: [
      (await seller.call('GET', '/invoices')).body.data[0],
      (await seller.call('GET', `/invoices/${invoiceId}`)).body,
    ],
    'Payment address info': [address],
    Transaction: [transactions[0], (await seller.call('GET', `/transactions/${transactions[0].id}`)).body],
    Withdrawal: [(await seller.call('POST', '/withdrawals', { json: withdrawal })).body],
    Limits: [(await seller.call('GET', '/limits', { token })).body],
  })
})

/** Fields that the specification promises in one kind of answer only. */
const onlyIn: Readonly<Record<string, (answer: Json) => boolean>> = {
  'Merchant settings': (answer) => 'settings' in answer,
  'Merchant balances': (answer) => 'balances' in answer,
  // The specification lists all fields of an invoice in a list, and `description` is not among them.
  'Invoice description': (answer) => 'addresses' in answer,
}

function fieldOf(answer: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Json | undefined)?.[name], answer)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const decimal = /^(0|[1-9]\d*)(\.\d+)?$/

function expectType(value: unknown, { type, notes, field }: Field): void {
  if (type.includes('null') && value === null) return
  if (type === 'integer' || type === 'number') expect(value).toSatisfy(Number.isInteger)
  else if (type.endsWith('[]')) expect(value).toBeInstanceOf(Array)
  else expect(value).toBeTypeOf(type.split(' ')[0] as 'string')
  if (type.includes('UUID')) expect(value).toMatch(uuid)
  if (notes.startsWith('timestamp') || field.endsWith('At')) expect(value).toMatch(timestamp)
  if (notes.includes('decimal') || field.startsWith('min')) expect(value).toMatch(decimal)
}

describe('the tables of fields', () => {
  it('are found in the specification', () => {
    expect(fields.length).toBeGreaterThan(30)
    expect([...new Set(fields.map(({ record }) => record))].sort()).toEqual(Object.keys(answered).sort())
  })

  it.each(fields)('$record has $field as $type', (field) => {
    const whole = required(answered[field.record], field.record)
    const top = field.field.split('.')[0]
    const answers = whole.filter(onlyIn[`${field.record} ${top}`] ?? (() => true))
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of answers) expectType(fieldOf(answer, field.field), field)
  })

  it('show settings on get-merchant only, balances on list-merchants only', () => {
    const [one, listed] = required(answered['Merchant'], 'the merchants')
    expect(Object.keys(required(one, 'one')).sort()).toEqual(['id', 'name', 'settings'])
    expect(Object.keys(required(listed, 'listed')).sort()).toEqual(['balances', 'id', 'name'])
  })

  it('show no more in lists than the specification names', () => {
    const keysOf = (record: string) => Object.keys(required(answered[record]?.[0], record)).sort()
    expect(keysOf('Invoice')).toEqual([
      'amlOk',
      'amount',
      'createdAt',
      'id',
      'paymentMethodID',
      'state',
      'type',
    ])
    expect(keysOf('Transaction')).toEqual([
      'amount',
      'confirmedAt',
      'createdAt',
      'id',
      'invoiceID',
      'state',
      'txHash',
    ])
    expect(keysOf('Payment address info')).toEqual(['address', 'amount', 'expiresAt'])
    expect(keysOf('Balance entry')).toEqual(['balance', 'paymentMethodID', 'symbol'])
  })
})
