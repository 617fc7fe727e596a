import { expect, it } from 'vitest'
import { Batches } from './batches.ts'

/**
 * Doubles numbers in batches. Each batch waits until the test releases it, and fails if it contains a
 * negative number.
 */
function doubling(concurrency: number, itemsMax = 100) {
  const begun: { readonly items: readonly number[]; readonly go: () => void }[] = []
  const batches = new Batches<number, number>({
    concurrency,
    itemsMax,
    run: async (items) => {
      await new Promise<void>((go) => begun.push({ items, go }))
      const below = items.find((item) => item < 0)
      if (below !== undefined) throw new RangeError(`${below} is below zero`)
      return (item) => item * 2
    },
  })
  const goOn = async (index: number) => {
    begun[index]?.go()
    await new Promise(setImmediate)
  }
  return { batches, begun, goOn, items: () => begun.map(({ items }) => items) }
}

it('lets the first go at once, and all who come meanwhile together', async () => {
  const { batches, goOn, items } = doubling(1)
  const results = Promise.all([1, 2, 3].map((item) => batches.do(item)))
  expect(items()).toEqual([[1]])
  await goOn(0)
  expect(items()).toEqual([[1], [2, 3]])
  await goOn(1)
  expect(await results).toEqual([2, 4, 6])
})

it('has no more batches under way than it may, none larger than it may be', async () => {
  const { batches, goOn, items } = doubling(2, 2)
  const results = Promise.all([1, 2, 3, 4, 5].map((item) => batches.do(item)))
  expect(items()).toEqual([[1], [2]])
  await goOn(1)
  expect(items()).toEqual([[1], [2], [3, 4]])
  await goOn(0)
  await goOn(2)
  await goOn(3)
  expect(await results).toEqual([2, 4, 6, 8, 10])
})

it('lets a bad item fail alone', async () => {
  const { batches, goOn, items } = doubling(1)
  const results = Promise.allSettled([1, 2, -3, 4].map((item) => batches.do(item)))
  await goOn(0)
  await goOn(1)
  expect(items()).toEqual([[1], [2, -3, 4], [2], [-3], [4]])
  for (const index of [2, 3, 4]) await goOn(index)
  const [, two, bad, four] = await results
  expect([two, four]).toEqual([
    { status: 'fulfilled', value: 4 },
    { status: 'fulfilled', value: 8 },
  ])
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: '-3 is below zero' } })
})
