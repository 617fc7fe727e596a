import { describe, expect, it } from 'vitest'
import { badgesOf } from './invoice-words.ts'

const late = {
  type: 'onetime',
  state: 'expired',
  amount: '25.00',
  exceptions: ['underpaid', 'late'],
} as const

describe('the badges of an invoice', () => {
  it('call one that was paid in full after its time paid late, and not underpaid', () => {
    expect(badgesOf({ ...late, amountPaid: '25' })).toEqual(['expired', 'paid late'])
    expect(badgesOf({ ...late, amountPaid: '31.5' })).toEqual(['expired', 'paid late'])
  })

  it('call one underpaid whose whole amount did not come, in time or late', () => {
    expect(badgesOf({ ...late, amountPaid: '24.99999999' })).toEqual(['expired', 'underpaid', 'late'])
    expect(badgesOf({ ...late, amountPaid: '10', exceptions: ['underpaid'] })).toEqual([
      'expired',
      'underpaid',
    ])
  })

  it('say in lists, which do not tell what came, that something came late', () => {
    expect(badgesOf(late)).toEqual(['expired', 'late payment'])
  })

  it('say of one that its merchant accepted that it is paid, and was late', () => {
    expect(badgesOf({ ...late, state: 'paid', amountPaid: '25' })).toEqual(['paid', 'late'])
  })

  it('leave a reusable one as it is, whose payments do not add up', () => {
    const reusable = { ...late, type: 'reusable', amountPaid: '50' } as const
    expect(badgesOf(reusable)).toEqual(['expired', 'underpaid', 'late'])
  })
})
