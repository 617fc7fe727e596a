import { expect, it } from 'vitest'
import { countFilters, orderOf, queryOf, readInvoiceSearch, sortedBy } from './invoice-filters.ts'

it('reads every filter of the API from an address, and leaves the page out of the query', () => {
  const address = {
    page: 3,
    search: 'beans',
    states: ['paid', 'expired'],
    types: 'onetime',
    tokens: [3],
    collectStates: ['collecting'],
    amountFrom: '1',
    amountTo: 20,
    dateFrom: '2026-11-01',
    dateTo: '2026-11-22',
    showArchived: true,
    amlOk: false,
    orderBy: 'amount',
    order: 'asc',
  }
  const search = readInvoiceSearch(address)
  expect(search).toEqual({ ...address, types: ['onetime'], tokens: ['3'], amountTo: '20' })
  expect(queryOf(search)).not.toHaveProperty('page')
  expect(countFilters(search)).toBe(10)
})

it('ignores invalid values, so that no address breaks the page', () => {
  const address = {
    page: -1,
    search: '',
    states: [{}],
    showArchived: 'x',
    amlOk: 'maybe',
    order: 'up',
    foo: 1,
  }
  expect(readInvoiceSearch(address)).toEqual({})
})

it('sorts by the chosen column, the largest or newest first, and reverses the order on the second click', () => {
  const search = { page: 4, states: ['paid'] }
  const byAmount = sortedBy(search, 'amount')
  expect(byAmount).toEqual({ states: ['paid'], orderBy: 'amount' })
  expect([orderOf(byAmount, 'amount'), orderOf(byAmount, 'createdAt')]).toEqual(['desc', undefined])
  expect(sortedBy(byAmount, 'amount')).toEqual({ states: ['paid'], orderBy: 'amount', order: 'asc' })
  expect(sortedBy(byAmount, 'createdAt')).toEqual({ states: ['paid'] })
  expect(sortedBy(search, 'createdAt')).toEqual({ states: ['paid'], order: 'asc' })
})
