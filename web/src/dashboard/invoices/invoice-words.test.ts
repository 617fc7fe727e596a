import { describe, expect, it } from 'vitest'
import { badgesOf } from './invoice-words.ts'

const late = {
  type: 'onetime',
  state: 'expired',
  amount: '25.00',
  exceptions: ['underpaid', 'late'],
} as const

describe('the badges of an invoice', () => {
  it('show an invoice that was paid in full after its time as paid late, and not as underpaid', () => {
    expect(badgesOf({ ...late, amountPaid: '25' })).toEqual(['expired', 'paid late'])
    expect(badgesOf({ ...late, amountPaid: '31.5' })).toEqual(['expired', 'paid late'])
  })

  it('show an invoice without its whole amount as underpaid, in time or late', () => {
    expect(badgesOf({ ...late, amountPaid: '24.99999999' })).toEqual(['expired', 'underpaid', 'late'])
    expect(badgesOf({ ...late, amountPaid: '10', exceptions: ['underpaid'] })).toEqual([
      'expired',
      'underpaid',
    ])
  })

  it('show in lists, which lack the received amount, that a payment came late', () => {
    expect(badgesOf(late)).toEqual(['expired', 'late payment'])
  })

  it('show an invoice that its merchant accepted as paid and late', () => {
    expect(badgesOf({ ...late, state: 'paid', amountPaid: '25' })).toEqual(['paid', 'late'])
  })

  it('leave a reusable invoice unchanged, because its payments do not add up', () => {
    const reusable = { ...late, type: 'reusable', amountPaid: '50' } as const
    expect(badgesOf(reusable)).toEqual(['expired', 'underpaid', 'late'])
  })
})
