import { describe, expect, it } from 'vitest'
import { Growing } from './growing.ts'

describe('a growing list', () => {
  it('runs work for present and later items until the signal aborts', async () => {
    const stop = new AbortController()
    const list = new Growing(['a'])
    const { items } = list
    const seen: string[] = []
    const done = list.runEach(stop.signal, async (item) => void seen.push(item))
    list.add('b')
    expect(seen).toEqual(['a', 'b'])
    expect(items).toEqual(['a', 'b'])
    stop.abort()
    await done
    list.add('c')
    expect(seen).toEqual(['a', 'b'])
  })

  it('rejects with an error of the work for a later item', async () => {
    const list = new Growing<string>()
    const done = list.runEach(new AbortController().signal, async (item) => {
      throw new Error(item)
    })
    list.add('broken')
    await expect(done).rejects.toThrow('broken')
  })
})
