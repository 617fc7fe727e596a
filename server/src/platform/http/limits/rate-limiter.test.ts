import { describe, expect, it } from 'vitest'
import { silentLog } from '../../../core/log.ts'
import { openRateLimiters } from './rate-limiter.ts'

describe('counters of one process', () => {
  it('allow as many as the window takes, then say when it ends', async () => {
    const limiter = (await openRateLimiters({ log: silentLog })).limiter({ name: 't', limit: 2, windowS: 60 })
    expect(await limiter.take('a')).toEqual({
      allowed: true,
      limit: 2,
      windowS: 60,
      remaining: 1,
      resetS: 60,
    })
    expect(await limiter.take('a')).toMatchObject({ allowed: true, remaining: 0 })
    expect(await limiter.take('a')).toMatchObject({ allowed: false, remaining: 0, resetS: 60 })
    expect(await limiter.take('b')).toMatchObject({ allowed: true, remaining: 1 })
  })

  it('read without counting, count several at once, and take back what did not count', async () => {
    const limiter = (await openRateLimiters({ log: silentLog })).limiter({ name: 't', limit: 5, windowS: 60 })
    expect(await limiter.take('a', 0)).toMatchObject({ allowed: true, remaining: 5 })
    expect(await limiter.take('a', 5)).toMatchObject({ allowed: true, remaining: 0 })
    await limiter.giveBack('a', 2)
    expect(await limiter.take('a', 0)).toMatchObject({ allowed: true, remaining: 2 })
  })

  it('keep purposes apart', async () => {
    const limiters = await openRateLimiters({ log: silentLog })
    const [one, other] = ['one', 'other'].map((name) => limiters.limiter({ name, limit: 1, windowS: 60 }))
    await one?.take('a')
    expect(await other?.take('a')).toMatchObject({ allowed: true })
  })
})
