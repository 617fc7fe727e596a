/** Tests `follow` with an event stream that the tests make fail. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { follow } from './follow.ts'

const notices = vi.hoisted(() => ({ announce: vi.fn(), clearNotice: vi.fn() }))
vi.mock('./notice.ts', () => notices)

class FakeSource {
  static readonly CLOSED = 2
  static last: FakeSource
  readyState = 0
  onopen = () => {}
  onerror = () => {}

  constructor() {
    FakeSource.last = this
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('document', { addEventListener() {} })
  vi.stubGlobal('addEventListener', () => {})
  notices.announce.mockClear()
  follow({ path: '/pay/1', query: '', version: () => '1' }, () => {})
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('reports after four seconds that the connection is lost, however often the stream reconnects meanwhile', () => {
  for (let ms = 0; ms < 4_000; ms += 2_000) {
    FakeSource.last.onerror()
    vi.advanceTimersByTime(2_000)
  }
  expect(notices.announce).toHaveBeenCalledExactlyOnceWith('offline')
})

it('reports nothing if the connection is back within four seconds', () => {
  FakeSource.last.onerror()
  vi.advanceTimersByTime(3_000)
  FakeSource.last.onopen()
  vi.advanceTimersByTime(10_000)
  expect(notices.announce).not.toHaveBeenCalled()
})

it('reports it again if the stream still fails after the notice was removed', () => {
  FakeSource.last.onerror()
  vi.advanceTimersByTime(4_000)
  FakeSource.last.onerror()
  vi.advanceTimersByTime(4_000)
  expect(notices.announce).toHaveBeenCalledTimes(2)
})
