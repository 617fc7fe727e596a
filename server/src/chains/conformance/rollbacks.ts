import { expect, it } from 'vitest'
import { type Harness, headHeight, keysPaidTo, never, readBlock, severalPayments } from './harness.ts'

export function promisesOfRollbacks(harness: Harness): void {
  it('keeps the keys of a transaction that is mined again at another place among other logs', async () => {
    const to = harness().newAddress()
    const payments = [1n, 2n].map((amountMinor) => ({ to, amountMinor }))
    const payment = await harness().prepare(severalPayments(harness(), payments))
    const others = [{ to: harness().newAddress(), amountMinor: 9n }]
    const other = await harness().prepare(severalPayments(harness(), others))
    const before = await readBlock(harness(), await harness().mine([payment]))
    await harness().rollback(1)
    const after = await readBlock(harness(), await harness().mine([other, payment]))
    expect(after.block.hash).not.toBe(before.block.hash)
    expect(after.transfers).toHaveLength(3)
    expect(keysPaidTo(to, after)).toEqual(keysPaidTo(to, before))
  })

  it('tells the new branch after a rollback, and nothing that was only in the old one', async () => {
    const to = harness().newAddress()
    const [kept, dropped] = await Promise.all([
      harness().prepare({ type: 'coin', to, amountMinor: 1n }),
      harness().prepare({ type: 'coin', to, amountMinor: 2n }),
    ])
    await harness().mine([dropped])
    await harness().mine([kept])
    const old = await headHeight(harness())
    await harness().rollback(2)
    await harness().mine([kept])
    await harness().mine()
    expect(await headHeight(harness())).toBe(old)
    const lower = await readBlock(harness(), old - 1)
    const upper = await readBlock(harness(), old)
    expect([...lower.transfers, ...upper.transfers].map(({ amountMinor }) => amountMinor)).toEqual([1n])
    expect(upper.block.parentHash).toBe(lower.block.hash)
  })

  it('has a lower head after a rollback', async () => {
    const height = await harness().mine()
    await harness().rollback(1)
    expect(await headHeight(harness())).toBe(height - 1)
    expect(await harness().reader.readBlock(height, never)).toBeUndefined()
  })
}
