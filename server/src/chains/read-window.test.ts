import { describe, expect, it } from 'vitest'
import { ReadWindow } from './read-window.ts'

const never = new AbortController().signal
const heavy = 8 * 1024 * 1024 + 1

/** Starts `count` tasks, each of which ends on request, and reports which are running. */
function startWorks(window: ReadWindow, count: number, signal = never) {
  const underWay = new Map<number, () => void>()
  const works = Array.from({ length: count }, (_, number) =>
    window.within(
      () =>
        new Promise<number>((resolve) => {
          underWay.set(number, () => {
            underWay.delete(number)
            resolve(number)
          })
        }),
      signal,
    ),
  )
  const end = async (number: number) => {
    underWay.get(number)?.()
    await works[number]
    await new Promise(setImmediate)
  }
  return { underWay, works, end }
}

describe('the read window', () => {
  it('lets in as many as it is wide, the others in their order as those leave', async () => {
    const { underWay, end } = startWorks(new ReadWindow(2), 4)
    await new Promise(setImmediate)
    expect([...underWay.keys()]).toEqual([0, 1])
    await end(1)
    expect([...underWay.keys()]).toEqual([0, 2])
    await end(0)
    expect([...underWay.keys()]).toEqual([2, 3])
  })

  it('is halved by each heavy answer, never to nothing, and widened by one for each light one', async () => {
    const window = new ReadWindow(16)
    const widthNow = async () => {
      const { underWay, works } = startWorks(window, 20)
      await new Promise(setImmediate)
      const width = underWay.size
      while (underWay.size > 0) {
        for (const done of [...underWay.values()]) done()
        await new Promise(setImmediate)
      }
      await Promise.all(works)
      return width
    }
    const widths = [await widthNow()]
    for (const sizeBytes of [heavy, heavy, heavy, heavy, heavy, heavy - 1, 0]) {
      window.sawAnswer(sizeBytes)
      widths.push(await widthNow())
    }
    expect(widths).toEqual([16, 8, 4, 2, 1, 1, 2, 3])
    for (let light = 0; light < 20; light += 1) window.sawAnswer(0)
    expect(await widthNow()).toBe(16)
  })

  it('lets go of who is aborted while waiting, and of a failed work', async () => {
    const window = new ReadWindow(1)
    const { end, works } = startWorks(window, 1)
    const stop = new AbortController()
    const waiting = window.within(async () => 'never', stop.signal)
    const reason = new Error('stopped by the test')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await end(0)
    expect(await works[0]).toBe(0)
    await expect(window.within(() => Promise.reject(reason), never)).rejects.toBe(reason)
    expect(await window.within(async () => 'in', never)).toBe('in')
  })
})
