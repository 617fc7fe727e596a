import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareHistory,
  heartbeatKeptDays,
  type Incarnation,
  type IncarnationCause,
  mustHalt,
  type Remembered,
  type SeenHistory,
} from './history.ts'

const now = new Date('2026-11-23T06:00:00Z')
const server = { systemIdentifier: '7', timeline: 1 }

function incarnation(changed: Partial<Incarnation> = {}): Incarnation {
  return { ...server, number: 3, cause: 'first', beganAt: now, lastSeenAt: undefined, ...changed }
}

function seen(changed: Partial<SeenHistory> = {}): SeenHistory {
  return {
    now,
    server,
    current: incarnation(),
    ownBeat: 10,
    lastBeatAt: now,
    otherActiveProcesses: 0,
    ...changed,
  }
}

function remembered(changed: Partial<Remembered> = {}): Remembered {
  return { incarnation: 3, beat: 10, beatAt: new Date(now.getTime() - 2_000), hasEnded: false, ...changed }
}

const promoted = { ...server, timeline: 2 }

describe('compareHistory', () => {
  it('finds nothing where server, timeline and beat are there, or a beat that was committed unseen', () => {
    expect(compareHistory(remembered(), seen())).toEqual({ type: 'same' })
    expect(compareHistory(remembered(), seen({ ownBeat: 11 }))).toEqual({ type: 'same' })
    expect(compareHistory(undefined, seen({ ownBeat: undefined }))).toEqual({ type: 'same' })
  })

  it('finds a loss where a beat that was seen committed is gone, on the same timeline, too', () => {
    const lastSeenAt = remembered().beatAt
    const loss = { type: 'began', number: 4, cause: 'loss', isBeatLost: true, lastSeenAt }
    expect(compareHistory(remembered(), seen({ ownBeat: 9 }))).toEqual(loss)
    expect(compareHistory(remembered(), seen({ ownBeat: undefined }))).toEqual(loss)
    expect(compareHistory(remembered({ hasEnded: true }), seen({ ownBeat: 9 }))).toEqual(loss)
    expect(compareHistory(remembered(), seen({ ownBeat: 9, server: promoted }))).toEqual(loss)
  })

  it('takes a row that ended with its time for no loss', () => {
    const days = (count: number) => new Date(now.getTime() - count * 86_400_000)
    const gone = seen({ ownBeat: undefined })
    const old = remembered({ beatAt: days(heartbeatKeptDays) })
    expect(compareHistory(old, gone)).toEqual({ type: 'same' })
    const young = remembered({ beatAt: days(heartbeatKeptDays - 2) })
    expect(compareHistory(young, gone)).toMatchObject({ cause: 'loss' })
  })

  it('never gives a number again, where the row of an incarnation is lost, or all are', () => {
    const further = remembered({ incarnation: 8 })
    expect(compareHistory(further, seen())).toMatchObject({ type: 'began', number: 9, cause: 'loss' })
    expect(compareHistory(further, seen({ current: undefined }))).toMatchObject({ number: 9, cause: 'loss' })
    expect(compareHistory(undefined, seen({ current: undefined }))).toMatchObject({
      number: 1,
      cause: 'first',
    })
  })

  it('joins what another process recorded, and adds what it lost itself', () => {
    const current = incarnation({ number: 4, cause: 'loss' })
    const lastSeenAt = remembered().beatAt
    expect(compareHistory(remembered(), seen({ current }))).toEqual({
      type: 'joined',
      isBeatLost: false,
      lastSeenAt,
    })
    const lost = seen({ current, ownBeat: 9 })
    expect(compareHistory(remembered(), lost)).toEqual({ type: 'joined', isBeatLost: true, lastSeenAt })
  })

  it('takes nothing for lost of the weeks in which this process was off', () => {
    const weeksAgo = new Date(now.getTime() - 14 * 86_400_000)
    const old = remembered({ beatAt: weeksAgo, hasEnded: true })
    const lastBeatAt = new Date(now.getTime() - 5_000)
    const began = compareHistory(old, seen({ server: promoted, lastBeatAt, otherActiveProcesses: 1 }))
    expect(began).toMatchObject({ type: 'began', cause: 'promotion', lastSeenAt: lastBeatAt })
    const current = incarnation({ ...promoted, number: 4, cause: 'promotion', lastSeenAt: lastBeatAt })
    const joined = compareHistory(old, seen({ server: promoted, current }))
    expect(joined).toEqual({ type: 'joined', isBeatLost: false, lastSeenAt: lastBeatAt })
    expect(compareHistory(old, seen({ server: promoted, current, ownBeat: 9 }))).toMatchObject({
      lastSeenAt: weeksAgo,
    })
  })

  it('takes beats that are missing after a restore for missing, and halts nothing', () => {
    const current = incarnation({ number: 4, cause: 'restore' })
    const found = compareHistory(remembered(), seen({ current, ownBeat: undefined }))
    expect(found).toMatchObject({ type: 'joined', isBeatLost: true })
  })

  it('does not let a change that was thought to be complete explain a beat that is missing', () => {
    const current = incarnation({ number: 4, cause: 'planned' })
    const found = compareHistory(remembered(), seen({ current, ownBeat: 9 }))
    expect(found).toMatchObject({ type: 'began', number: 5, cause: 'loss' })
  })

  it('believes a change of servers to be complete only where every process had stopped in order', () => {
    const cause = (memory: Remembered | undefined, changed: Partial<SeenHistory> = {}) => {
      const found = compareHistory(memory, seen({ server: promoted, ...changed }))
      return found.type === 'began' ? found.cause : found.type
    }
    const stopped = remembered({ hasEnded: true })
    expect(cause(stopped)).toBe('planned')
    expect(cause(undefined, { ownBeat: undefined })).toBe('promotion')
    expect(cause(remembered())).toBe('promotion')
    expect(cause(stopped, { otherActiveProcesses: 1 })).toBe('promotion')
    expect(cause(undefined, { ownBeat: undefined, lastBeatAt: undefined })).toBe('promotion')
    expect(cause(stopped, { server: { systemIdentifier: '8', timeline: 1 } })).toBe('planned')
  })
})

const causes: readonly IncarnationCause[] = ['first', 'restore', 'planned', 'promotion', 'loss']
const anySeen = fc.record({
  timeline: fc.integer({ min: 1, max: 2 }),
  current: fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    cause: fc.constantFrom(...causes),
    timeline: fc.integer({ min: 1, max: 2 }),
  }),
  ownBeat: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  otherActiveProcesses: fc.integer({ min: 0, max: 1 }),
})
const anyMemory = fc.record({
  incarnation: fc.integer({ min: 1, max: 4 }),
  beat: fc.integer({ min: 1, max: 4 }),
  hasEnded: fc.boolean(),
})

it('lets no loss and no unproven promotion pass without a halt, and no number fall', () => {
  fc.assert(
    fc.property(anyMemory, anySeen, (memory, { timeline, current, ownBeat, otherActiveProcesses }) => {
      const before = remembered(memory)
      const shown = seen({
        server: { ...server, timeline },
        current: incarnation(current),
        ownBeat,
        otherActiveProcesses,
      })
      const found = compareHistory(before, shown)
      const cause = found.type === 'began' ? found.cause : current.cause
      const number = found.type === 'began' ? found.number : current.number
      const isBeatLost = ownBeat === undefined || ownBeat < before.beat
      // If a heartbeat was lost, outgoing money must halt, unless a recorded incarnation already explains the
      // loss. If that incarnation is a promotion or a loss, money has halted already. If it is a restore, no
      // halt is needed.
      if (isBeatLost) expect(mustHalt(cause) || (found.type === 'joined' && cause === 'restore')).toBe(true)
      if (timeline !== current.timeline) expect(found.type).toBe('began')
      if (found.type === 'began' && cause === 'planned')
        expect([before.hasEnded, isBeatLost, otherActiveProcesses]).toEqual([true, false, 0])
      expect(number).toBeGreaterThanOrEqual(before.incarnation)
      if (found.type === 'began') expect(number).toBeGreaterThan(current.number)
    }),
  )
})
