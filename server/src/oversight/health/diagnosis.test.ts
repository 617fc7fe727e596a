import { describe, expect, it } from 'vitest'
import { type CofferState, diagnose } from './diagnosis.ts'

const at = new Date('2026-11-23T06:00:00Z')
const server = { systemIdentifier: '7', timeline: 1 }
const incarnation = { ...server, number: 2, cause: 'first' as const, beganAt: at, lastSeenAt: at }
const beating = { processId: 'a', role: 'api', secondsAgo: 1, endedAt: null }
const sound: CofferState = {
  server,
  incarnation,
  lostBeats: [],
  halts: [],
  heartbeats: [beating],
  chains: [{ network: 'ethereum', height: 10, headHeight: 11 }],
  failures: [],
  holds: [],
}
const halt = { id: 'h1', cause: 'history' as const, detail: 'went back', since: at }

function errorsOf(changed: Partial<CofferState>): readonly string[] {
  return diagnose({ ...sound, ...changed }).flatMap(({ isError, subject }) => (isError ? [subject] : []))
}

describe('diagnose', () => {
  it('finds no fault where all is well, or was stopped in order', () => {
    expect(errorsOf({})).toEqual([])
    expect(errorsOf({ heartbeats: [{ ...beating, secondsAgo: 4_000, endedAt: at }] })).toEqual([])
    expect(errorsOf({ incarnation: { ...incarnation, cause: 'planned' } })).toEqual([])
    expect(errorsOf({ incarnation: { ...incarnation, cause: 'loss' } })).toEqual([])
  })

  it.each<[string, Partial<CofferState>, readonly string[]]>([
    ['another server that nobody compared yet', { server: { ...server, timeline: 2 } }, ['database']],
    [
      'history that was lost, until its halt is lifted',
      { incarnation: { ...incarnation, cause: 'loss' }, halts: [halt] },
      ['history', 'payouts'],
    ],
    ['a halt of another cause', { halts: [{ ...halt, cause: 'books' }] }, ['payouts']],
    ['a process that is silent', { heartbeats: [{ ...beating, secondsAgo: 60 }] }, ['processes']],
    ['no process at all', { heartbeats: [] }, ['processes']],
    [
      'blocks that wait for a recovery from a loss',
      { holds: [{ network: 'e', cause: 'recovery', since: at }] },
      ['blocks'],
    ],
    ['blocks that pile up', { chains: [{ network: 'e', height: 1, headHeight: 99 }] }, ['blocks']],
    [
      'a block that cannot be booked',
      { failures: [{ network: 'e', height: 2, message: 'x', failingSeconds: 9 }] },
      ['blocks'],
    ],
  ])('finds %s, and says what to do', (_, changed, subjects) => {
    const errors = diagnose({ ...sound, ...changed }).filter(({ isError }) => isError)
    expect(errors.map(({ subject }) => subject)).toEqual(subjects)
    for (const { next } of errors) expect(next.length).toBeGreaterThan(0)
  })

  it('shows entries of own networks and tokens that are refused or missing, and nothing if there are none', () => {
    const found = (entries: Parameters<typeof diagnose>[1]) =>
      diagnose(sound, entries).filter(({ subject }) => subject === 'entries')
    expect(found({ count: 0, refused: [], loss: undefined })).toEqual([])
    expect(found({ count: 2, refused: [], loss: undefined })).toMatchObject([{ isError: false }])
    const wrong = found({ count: 1, refused: [{ id: 7, reason: 'no signature' }], loss: 'one is missing' })
    expect(wrong.map(({ isError, text }) => [isError, text])).toEqual([
      [true, 'own networks and tokens: one is missing'],
      [true, 'entry 7: no signature'],
    ])
    for (const { next } of wrong) expect(next.length).toBeGreaterThan(0)
    const unusable = found({
      count: 2,
      refused: [{ id: 1, reason: 'Coffer ships it', isAccepted: true }],
      loss: undefined,
    })
    expect(unusable.map(({ isError, text }) => [isError, text])).toEqual([
      [false, 'own networks and tokens: all 2 signed entries are accepted'],
      [false, 'entry 1: Coffer ships it'],
    ])
    expect(unusable[1]?.next.join()).toContain('what Coffer ships')
  })

  it('passes over the row of a process that was killed where its successor works', () => {
    const killed = { ...beating, processId: 'b', secondsAgo: 600 }
    expect(errorsOf({ heartbeats: [killed, beating] })).toEqual([])
  })

  it('has a halt of history lifted with a new incarnation where the database went back, and no other', () => {
    const commands = (cause: 'history' | 'books', began: 'loss' | 'first') =>
      JSON.stringify(
        diagnose({ ...sound, incarnation: { ...incarnation, cause: began }, halts: [{ ...halt, cause }] }),
      )
    const lift = 'coffer signer lift --halt h1 --reason \\"...\\" --new-database-id'
    expect(commands('history', 'loss')).toContain(lift)
    expect(commands('books', 'loss')).not.toContain('--new-database-id')
    expect(commands('history', 'first')).not.toContain('--new-database-id')
  })
})
