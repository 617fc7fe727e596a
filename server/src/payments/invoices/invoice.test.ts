import { describe, expect, it } from 'vitest'
import {
  type CollectFact,
  type CollectState,
  type InvoiceState,
  isPayable,
  nextCollectState,
} from './invoice.ts'

const expiresAt = new Date('2026-01-01T01:00:00Z')
const before = new Date(expiresAt.getTime() - 1)
const open = {
  type: 'onetime',
  state: 'pending',
  expiresAt,
  closedAt: undefined,
  deletedAt: undefined,
} as const

describe('an invoice', () => {
  it('can be paid while it is pending and its time is not over', () => {
    expect(isPayable(open, before)).toBe(true)
    expect(isPayable(open, expiresAt)).toBe(false)
    expect(isPayable({ ...open, state: 'paid' }, before)).toBe(false)
    expect(isPayable({ ...open, state: 'paid', type: 'collect' }, before)).toBe(false)
    expect(isPayable({ ...open, type: 'withdraw' }, before)).toBe(false)
  })

  it('can be paid again and again when it is reusable, until it is closed or deleted', () => {
    const reusable = { ...open, type: 'reusable', state: 'paid', expiresAt: undefined } as const
    expect(isPayable(reusable, expiresAt)).toBe(true)
    expect(isPayable({ ...reusable, expiresAt }, expiresAt)).toBe(false)
    expect(isPayable({ ...reusable, closedAt: before }, expiresAt)).toBe(false)
    expect(isPayable({ ...reusable, deletedAt: before }, expiresAt)).toBe(false)
  })
})

describe('the money of a collection', () => {
  const facts: readonly CollectFact[] = ['sweep-started', 'sweep-dropped', 'sweep-final']
  const moves = (collectState: CollectState | undefined, state: InvoiceState) =>
    facts.map((fact) => nextCollectState({ collectState, state }, fact))

  it('is swept once the invoice is over, and not before', () => {
    expect(moves('collecting', 'pending')).toEqual([undefined, undefined, undefined])
    expect(moves('collecting', 'paid')).toEqual(['sweeping', undefined, undefined])
    expect(moves('collecting', 'expired')).toEqual(['sweeping', undefined, undefined])
  })

  it('is collecting again when a sweep is dropped, and completed for good when one is final', () => {
    expect(moves('sweeping', 'paid')).toEqual([undefined, 'collecting', 'completed'])
    expect(moves('sweeping', 'pending')).toEqual([undefined, 'collecting', 'completed'])
    expect(moves('completed', 'paid')).toEqual([undefined, undefined, undefined])
  })

  it('is no matter of other invoices', () => {
    expect(moves(undefined, 'paid')).toEqual([undefined, undefined, undefined])
  })
})
