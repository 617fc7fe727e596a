import { describe, expect, it } from 'vitest'
import { reportLines } from './report.ts'

const entry = {
  id: 'M1',
  title: 'each journal balances',
  unit: 'journals',
  ok: true,
  examined: 1234,
  findings: [],
}

describe('reportLines', () => {
  it('says in one line what holds and how much was checked', () => {
    expect(reportLines(entry)).toEqual(['M1        OK    each journal balances (1,234 journals)'])
  })

  it('reports each violation on a line of its own', () => {
    expect(reportLines({ ...entry, ok: false, findings: ['journal a is off', 'journal b is off'] })).toEqual([
      'M1        FAIL  each journal balances (1,234 journals)',
      '                journal a is off',
      '                journal b is off',
    ])
  })

  it('reports remarks below what holds', () => {
    expect(reportLines({ ...entry, remarks: ['there is more than there need be'] })).toEqual([
      'M1        OK    each journal balances (1,234 journals)',
      '                there is more than there need be',
    ])
  })

  it('says why something was not checked', () => {
    expect(reportLines({ ...entry, skipped: 'no block was read yet' })).toEqual([
      'M1        SKIP  each journal balances (no block was read yet)',
    ])
  })
})
