import { expect, it } from 'vitest'
import { watchTouches } from './watch-touches.ts'

it('treats a page as unattended a minute after its last use, until the next use', () => {
  const page = new EventTarget()
  let now = 0
  const isUnattended = watchTouches(page, () => now)
  expect(isUnattended()).toBe(false)
  now += 60_001
  expect(isUnattended()).toBe(true)
  for (const touch of ['pointermove', 'keydown', 'wheel']) {
    page.dispatchEvent(new Event(touch))
    expect(isUnattended()).toBe(false)
    now += 60_000
    expect(isUnattended()).toBe(false)
    now += 1
    expect(isUnattended()).toBe(true)
  }
  page.dispatchEvent(new Event('scroll'))
  expect(isUnattended()).toBe(true)
})
