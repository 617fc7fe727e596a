import { expect, it } from 'vitest'
import { headHeight, keysPaidTo, never, readBlock, severalPayments, type World } from './world.ts'

export function promisesOfRollbacks(world: World): void {
  it('keeps the keys of a transaction that is mined again at another place among other logs', async () => {
    const to = world().newAddress()
    const payments = [1n, 2n].map((amountMinor) => ({ to, amountMinor }))
    const payment = await world().prepare(severalPayments(world(), payments))
    const others = [{ to: world().newAddress(), amountMinor: 9n }]
    const other = await world().prepare(severalPayments(world(), others))
    const before = await readBlock(world(), await world().mine([payment]))
    await world().rollback(1)
    const after = await readBlock(world(), await world().mine([other, payment]))
    expect(after.block.hash).not.toBe(before.block.hash)
    expect(after.transfers).toHaveLength(3)
    expect(keysPaidTo(to, after)).toEqual(keysPaidTo(to, before))
  })

  it('tells the new branch after a rollback, and nothing that was only in the old one', async () => {
    const to = world().newAddress()
    const [kept, dropped] = await Promise.all([
      world().prepare({ type: 'coin', to, amountMinor: 1n }),
      world().prepare({ type: 'coin', to, amountMinor: 2n }),
    ])
    await world().mine([dropped])
    await world().mine([kept])
    const old = await headHeight(world())
    await world().rollback(2)
    await world().mine([kept])
    await world().mine()
    expect(await headHeight(world())).toBe(old)
    const lower = await readBlock(world(), old - 1)
    const upper = await readBlock(world(), old)
    expect([...lower.transfers, ...upper.transfers].map(({ amountMinor }) => amountMinor)).toEqual([1n])
    expect(upper.block.parentHash).toBe(lower.block.hash)
  })

  it('has a lower head after a rollback', async () => {
    const height = await world().mine()
    await world().rollback(1)
    expect(await headHeight(world())).toBe(height - 1)
    expect(await world().reader.readBlock(height, never)).toBeUndefined()
  })
}
