import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../client.ts'
import { unreachable } from '../coffer-error.ts'
import { followEvents } from './follow-events.ts'

type Question = { readonly after: number; readonly limit: number; readonly waitS?: number }

/** Returns a feed with this number of events, and the list of the queries that it received. */
function feedOf(count: number, beforeAnswer = (_asked: Question) => {}) {
  const asked: Question[] = []
  const listEvents = async (question: Question) => {
    asked.push(question)
    beforeAnswer(question)
    const length = Math.max(0, Math.min(question.limit, count - question.after))
    return {
      last: count,
      data: Array.from({ length }, (_, index) => ({ sequence: question.after + 1 + index })),
    }
  }
  return { asked, coffer: { listEvents } as unknown as Client }
}

function follow(coffer: Client, signal = new AbortController().signal) {
  const printed: string[] = []
  const notes = {
    onLost: () => printed.push('lost'),
    onBack: () => printed.push('back'),
    onForgotten: (sequence: number) => printed.push(`lost after ${sequence}`),
  }
  return { printed, events: followEvents({ coffer, merchantID: 'm', signal, restMs: 0, ...notes }, 0) }
}

describe('followEvents', () => {
  it('yields each event once and in order, even if some requests fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 450 }),
        async (fails, count) => {
          let asks = 0
          const beforeAnswer = () => {
            if (fails[asks++]) throw unreachable(new Error('gone'), undefined)
          }
          const { coffer } = feedOf(count, beforeAnswer)
          const { events } = follow(coffer)
          for (let sequence = 1; sequence <= count; sequence += 1)
            expect((await events.next()).value).toEqual({ sequence })
        },
      ),
    )
  })

  it('reports once that the server is unavailable, and once that it is back', async () => {
    let asks = 0
    const beforeAnswer = () => {
      asks += 1
      if (asks > 1 && asks < 5) throw unreachable(new Error('gone'), undefined)
    }
    const { coffer } = feedOf(150, beforeAnswer)
    const { events, printed } = follow(coffer)
    for (let count = 1; count <= 150; count += 1) await events.next()
    expect(printed).toEqual(['lost', 'back'])
  })

  it('asks the server to wait', async () => {
    const { coffer, asked } = feedOf(1)
    expect((await follow(coffer).events.next()).value).toEqual({ sequence: 1 })
    expect(asked.map(({ waitS }) => waitS)).toEqual([25])
  })

  it('reports the events that the server lost, and continues after them', async () => {
    const pages = [
      { last: 3, data: [{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }] },
      { last: 1, data: [], readAgainAfter: 1 },
      { last: 1, data: [] },
      { last: 1_000_002, data: [{ sequence: 1_000_002 }] },
    ]
    const asked: number[] = []
    const listEvents = async ({ after }: Question) => {
      asked.push(after)
      return pages.shift()
    }
    const { events, printed } = follow({ listEvents } as unknown as Client)
    const read: unknown[] = []
    for (let count = 1; count <= 4; count += 1) read.push((await events.next()).value)
    expect(read).toEqual([1, 2, 3, 1_000_002].map((sequence) => ({ sequence })))
    expect(asked).toEqual([0, 3, 1, 1])
    expect(printed).toEqual(['lost after 1'])
  })

  it('ends with a report if a server without loss reports has fewer events than before, because it was restored', async () => {
    let newest = 3
    const listEvents = async ({ after }: Question) => ({
      last: newest,
      data: after < newest ? [{ sequence: after + 1 }] : [],
    })
    const { events } = follow({ listEvents } as unknown as Client)
    for (let count = 1; count <= 3; count += 1) await events.next()
    newest = 1
    await expect(events.next()).rejects.toThrow('Event 3 was received, but the newest event is now 1')
  })

  it('ends with a refusal that waiting cannot change, and with its signal', async () => {
    const ending = new AbortController()
    const { coffer } = feedOf(0)
    const { events } = follow(coffer, ending.signal)
    const next = events.next()
    ending.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    const beforeAnswer = () => {
      throw Object.assign(unreachable(new Error('no'), undefined), { status: 401 })
    }
    await expect(follow(feedOf(1, beforeAnswer).coffer).events.next()).rejects.toMatchObject({
      status: 401,
    })
  })
})
