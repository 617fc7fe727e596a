import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { linkSignal, withinTime } from './linked-signal.ts'

describe('a linked signal', () => {
  it('aborts with the reason of whichever source aborts first, also if that was before', () => {
    const first = new AbortController()
    const second = new AbortController()
    const { signal } = linkSignal([first.signal, second.signal])
    expect(signal.aborted).toBe(false)
    second.abort('enough')
    first.abort('late')
    expect(signal.reason).toBe('enough')
    expect(linkSignal([first.signal]).signal.reason).toBe('late')
  })

  it('leaves nothing on its sources once released', () => {
    const source = new AbortController()
    const linked = linkSignal([source.signal], 60_000)
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(1)
    linked.release()
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(0)
    source.abort()
    expect(linked.signal.aborted).toBe(false)
  })

  it('aborts when it is ended, and leaves nothing on its sources', () => {
    const source = new AbortController()
    const linked = linkSignal([source.signal], 60_000)
    linked.end()
    expect(linked.signal.aborted).toBe(true)
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(0)
  })

  it('lets any number of works go on under one source without a warning of the process', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => warnings.push(warning)
    process.on('warning', hear)
    const source = new AbortController()
    const linked = Array.from({ length: 20 }, () => linkSignal([source.signal]))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
    for (const { release } of linked) release()
  })

  it('aborts by itself when its time is over', async () => {
    const { signal } = linkSignal([], 1)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('work within a time', () => {
  it('is aborted by its source or its time, and leaves nothing on the source', async () => {
    const source = new AbortController()
    const until = (signal: AbortSignal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await expect(withinTime([source.signal], 1, until)).rejects.toThrow('timed out')
    expect(await withinTime([source.signal], 60_000, async () => 'done')).toBe('done')
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(0)
    const aborted = withinTime([source.signal], 60_000, until)
    source.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
  })
})
