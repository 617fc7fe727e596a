import { expect, it } from 'vitest'
import { inGroups } from './in-groups.ts'

async function* upTo(last: number, end?: Error): AsyncGenerator<number> {
  for (let item = 1; item <= last; item += 1) yield item
  if (end !== undefined) throw end
}

async function collect<T>(groups: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const group of groups) collected.push(group)
  return collected
}

const isThree = (group: readonly number[]) => group.length === 3

it('gives full groups, and at the end what is left', async () => {
  expect(await collect(inGroups(upTo(7), isThree))).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  expect(await collect(inGroups(upTo(3), isThree))).toEqual([[1, 2, 3]])
  expect(await collect(inGroups(upTo(0), isThree))).toEqual([])
})

it('gives what came before an error, then throws it', async () => {
  const groups = inGroups(upTo(4, new Error('the fifth is missing')), isThree)
  expect((await groups.next()).value).toEqual([1, 2, 3])
  expect((await groups.next()).value).toEqual([4])
  await expect(groups.next()).rejects.toThrow('the fifth is missing')
})
