import { expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import { type CoinSenderWorld, plainFeeMinor, sendCoin } from './coin-sender-world.ts'
import { never, type World } from './world.ts'

export function promisesOfCoinBroadcasts(world: World<CoinSenderWorld>): void {
  promisesOfTaking(world)
  promisesOfRivals(world)

  it('offer a rate that gets a transaction taken, never below the least', async () => {
    const { rateMinor, leastMinor, source } = await world().sender.readFeeRate(2, never)
    expect(leastMinor).toBeGreaterThan(0n)
    expect(rateMinor).toBeGreaterThanOrEqual(leastMinor)
    expect(['estimate', 'usual']).toContain(source)
    // Of at most 300 bytes.
    await sendCoin(world(), await world().newCoin(), (rateMinor * 300n) / 1_000n)
  })

  it('refuse what offers less than the least', async () => {
    const { raw } = world().spend(await world().newCoin(), 1n)
    for (const answer of await both(world(), raw)) expect(answer).toMatchObject({ why: 'underpriced' })
  })

  it('refuse bytes that are no transaction', async () => {
    const { raw } = world().spend(await world().newCoin(), plainFeeMinor)
    for (const bytes of ['00', raw.slice(0, -2), `${raw}00`])
      for (const answer of await both(world(), bytes)) expect(answer).toMatchObject({ why: 'other' })
  })

  it('give up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(world().sender.broadcast('00', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(reason).not.toBeInstanceOf(NodeError)
  })
}

/** What a test says, where the node can tell, and what sending says. */
async function both({ sender }: CoinSenderWorld, raw: string) {
  const tested = await sender.testAccept(raw, never)
  const sent = await sender.broadcast(raw, never)
  return tested === undefined ? [sent] : [tested, sent]
}

function promisesOfTaking(world: World<CoinSenderWorld>): void {
  it('take the same bytes as often as they come: new, waiting and mined', async () => {
    const { raw } = await sendCoin(world(), await world().newCoin())
    for (const answer of await both(world(), raw)) expect(answer).toEqual({ type: 'taken' })
    await world().mine()
    expect(await world().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
  })

  it('send nothing by testing what would be taken', async () => {
    const coin = await world().newCoin()
    const { raw } = world().spend(coin, plainFeeMinor)
    const tested = await world().sender.testAccept(raw, never)
    expect(tested ?? { type: 'taken' }).toEqual({ type: 'taken' })
    expect(await world().sender.findWaitingSpender(coin.outpoint, never)).toBeUndefined()
  })

  it('take what spends change that waits', async () => {
    const { change } = await sendCoin(world(), await world().newCoin())
    const child = await sendCoin(world(), change)
    expect(await world().sender.findWaitingSpender(change.outpoint, never)).toBe(child.txHash)
  })
}

function promisesOfRivals(world: World<CoinSenderWorld>): void {
  it('say that coins are gone when another transaction that spends them is mined', async () => {
    const coin = await world().newCoin()
    await sendCoin(world(), coin)
    await world().mine()
    const { raw } = world().spend(coin, 2n * plainFeeMinor)
    for (const answer of await both(world(), raw)) expect(answer).toMatchObject({ why: 'coins-gone' })
  })

  it('say that coins are gone that never were', async () => {
    const coin = { outpoint: `${'cd'.repeat(32)}:0`, amountMinor: 10n ** 9n }
    const { raw } = world().spend(coin, plainFeeMinor)
    for (const answer of await both(world(), raw)) expect(answer).toMatchObject({ why: 'coins-gone' })
  })

  it('replace what waits by what is dearer where nodes do, and say that it is in the way where they do not', async () => {
    const coin = await world().newCoin()
    const first = await sendCoin(world(), coin)
    const dearer = world().spend(coin, 5n * plainFeeMinor)
    const answer = await world().sender.broadcast(dearer.raw, never)
    const wanted = world().canReplace ? { type: 'taken' } : { type: 'refused', why: 'conflict' }
    expect(answer).toMatchObject(wanted)
    const waits = await world().sender.findWaitingSpender(coin.outpoint, never)
    expect(waits).toBe(world().canReplace ? dearer.txHash : first.txHash)
  })

  it('refuse a replacement that offers no more', async ({ skip }) => {
    if (!world().canReplace) skip('nothing is replaced')
    const coin = await world().newCoin()
    await sendCoin(world(), coin)
    const { raw } = world().spend(coin, plainFeeMinor - 1n)
    for (const answer of await both(world(), raw)) expect(answer).toMatchObject({ why: 'underpriced' })
  })
}
