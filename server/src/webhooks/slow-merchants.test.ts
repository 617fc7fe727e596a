import { expect, it } from 'vitest'
import { limits } from '../core/limits.ts'
import { SlowMerchants } from './slow-merchants.ts'

it('knows who is slow while an attempt still runs, and for a while after', () => {
  const slow = new SlowMerchants({ slotsMax: 3, slowMs: 100 })
  const hanging = slow.began('a', 0)
  slow.ended(slow.began('b', 0), 99)
  expect(slow.share(99)).toEqual({ merchantIds: [], room: 3 })
  expect(slow.share(100)).toEqual({ merchantIds: ['a'], room: 2 })
  slow.ended(hanging, 200)
  slow.ended(slow.began('a', 200), 201)
  expect(slow.share(199 + limits.endpointSlowMs)).toEqual({ merchantIds: ['a'], room: 3 })
  expect(slow.share(200 + limits.endpointSlowMs)).toEqual({ merchantIds: [], room: 3 })
})

it('leaves no room where the slow ones came to hold more than they may together', () => {
  const slow = new SlowMerchants({ slotsMax: 1, slowMs: 100 })
  for (const merchantId of ['a', 'a', 'b']) slow.began(merchantId, 0)
  slow.began('c', 50)
  expect(slow.share(100)).toEqual({ merchantIds: ['a', 'b'], room: 0 })
})
