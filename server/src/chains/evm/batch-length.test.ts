import { expect, it } from 'vitest'
import { BatchLength, servedBeforeGrowth } from './batch-length.ts'

function serve(length: BatchLength, requests: number): void {
  for (let request = 0; request < requests; request += 1) length.wasAccepted(length.current)
}

it('is halved by each refusal, down to one call', () => {
  const length = new BatchLength(100)
  const lengths = [100, 50, 25, 12, 6, 3, 1].map((expected) => {
    expect(length.current).toBe(expected)
    length.wasTooLong(length.current)
    return length.current
  })
  expect(lengths.at(-1)).toBe(1)
})

it('is halved only once by requests that were sent before the first refusal', () => {
  const length = new BatchLength(100)
  for (let request = 0; request < 5; request += 1) length.wasTooLong(100)
  expect(length.current).toBe(50)
})

it('grows by one call after many accepted requests, and not above its first length', () => {
  const length = new BatchLength(3)
  length.wasTooFast(3)
  expect(length.current).toBe(1)
  serve(length, servedBeforeGrowth - 1)
  expect(length.current).toBe(1)
  serve(length, 1)
  expect(length.current).toBe(2)
  serve(length, 5 * servedBeforeGrowth)
  expect(length.current).toBe(3)
})

it('does not grow by requests that are shorter than it', () => {
  const length = new BatchLength(8)
  length.wasTooLong(8)
  for (let request = 0; request < 2 * servedBeforeGrowth; request += 1) length.wasAccepted(3)
  expect(length.current).toBe(4)
})

it('returns to the longest accepted request if one call more is too long', () => {
  const length = new BatchLength(100)
  length.wasTooLong(100)
  serve(length, servedBeforeGrowth)
  expect(length.current).toBe(51)
  length.wasTooLong(51)
  expect(length.current).toBe(50)
})

it('is halved if a length is refused that was accepted before', () => {
  const length = new BatchLength(100)
  serve(length, 1)
  length.wasTooLong(100)
  expect(length.current).toBe(50)
})
