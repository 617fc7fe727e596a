import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CommittedFacts, type FactBounds, FactsOfTransaction, factKind } from './committed-facts.ts'

const thing = factKind<number>('thing')
const other = factKind<string>('other')
const wide: FactBounds = { ageMs: 1_000, count: 1_000, bytes: 1_000_000_000 }

function memoryAt(bounds: Partial<FactBounds> = {}) {
  let nowMs = 0
  const clock = { now: () => new Date(nowMs) }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { pass, memory: new CommittedFacts(clock, { ...wide, ...bounds }) }
}

const note = (memory: CommittedFacts, content: number, textBytes = 0) =>
  memory.note(thing, { id: `${content}`, merchantId: undefined, content }, textBytes)
const contents = (memory: CommittedFacts) => memory.of(thing).map(({ content }) => content)

it('lists the facts of a kind, the oldest first, with the time of each', () => {
  const { memory, pass } = memoryAt()
  note(memory, 1)
  memory.note(other, { id: 'x', merchantId: 'm', content: 'words' })
  pass(5)
  note(memory, 2)
  expect(memory.of(thing)).toEqual([
    { id: '1', merchantId: undefined, content: 1, rememberedAt: new Date(0) },
    { id: '2', merchantId: undefined, content: 2, rememberedAt: new Date(5) },
  ])
  expect(memory.of(other)).toHaveLength(1)
})

it('forgets what is too old, too many or too large, and never the wrong end', () => {
  const step = fc.record({ textBytes: fc.nat(5_000), restMs: fc.nat(300) })
  const bounds = fc.record({
    ageMs: fc.integer({ min: 1, max: 2_000 }),
    count: fc.integer({ min: 1, max: 20 }),
    bytes: fc.integer({ min: 10_000, max: 50_000 }),
  })
  fc.assert(
    fc.property(bounds, fc.array(step, { maxLength: 60 }), (limit, steps) => {
      const { memory, pass } = memoryAt(limit)
      let nowMs = 0
      const noted: { readonly atMs: number; readonly bytes: number }[] = []
      for (const { textBytes, restMs } of steps) {
        nowMs += restMs
        pass(restMs)
        noted.push({ atMs: nowMs, bytes: 1_000 + textBytes })
        note(memory, noted.length - 1, textBytes)
      }
      let kept = 0
      let bytes = 0
      for (const one of noted.toReversed()) {
        bytes += one.bytes
        if (kept >= limit.count || bytes > limit.bytes || nowMs - one.atMs > limit.ageMs) break
        kept += 1
      }
      expect(contents(memory)).toEqual(noted.map((_, index) => index).slice(noted.length - kept))
    }),
  )
})

it('lets no kind push facts of another out', () => {
  const { memory } = memoryAt({ count: 3 })
  note(memory, 1)
  for (let index = 0; index < 10; index += 1)
    memory.note(other, { id: `${index}`, merchantId: undefined, content: 'words' })
  expect(contents(memory)).toEqual([1])
  expect(memory.of(other)).toHaveLength(3)
})

it('keeps the facts of a transaction back until it is committed', () => {
  const { memory } = memoryAt()
  const facts = new FactsOfTransaction()
  facts.note(thing, { id: '1', merchantId: undefined, content: 1 })
  expect(contents(memory)).toEqual([])
  facts.committed(memory)
  expect(contents(memory)).toEqual([1])
})
