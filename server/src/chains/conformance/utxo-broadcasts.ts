import { expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import { type Harness, never } from './harness.ts'
import { plainFeeMinor, spendUtxo, type UtxoSenderHarness } from './utxo-sender-harness.ts'

export function promisesOfUtxoBroadcasts(harness: Harness<UtxoSenderHarness>): void {
  promisesOfTaking(harness)
  promisesOfRivals(harness)

  it('offer a rate that gets a transaction taken, never below the least', async () => {
    const { rateMinor, leastMinor, source } = await harness().sender.readFeeRate(2, never)
    expect(leastMinor).toBeGreaterThan(0n)
    expect(rateMinor).toBeGreaterThanOrEqual(leastMinor)
    expect(['estimate', 'usual']).toContain(source)
    // The transaction has at most 300 bytes, so a fee for 300 bytes gives at least the rate `rateMinor`.
    await spendUtxo(harness(), await harness().newUtxo(), (rateMinor * 300n) / 1_000n)
  })

  it('refuse what offers less than the least', async () => {
    const { raw } = harness().spend(await harness().newUtxo(), 1n)
    for (const answer of await both(harness(), raw)) expect(answer).toMatchObject({ why: 'underpriced' })
  })

  it('refuse bytes that are no transaction', async () => {
    const { raw } = harness().spend(await harness().newUtxo(), plainFeeMinor)
    for (const bytes of ['00', raw.slice(0, -2), `${raw}00`])
      for (const answer of await both(harness(), bytes)) expect(answer).toMatchObject({ why: 'other' })
  })

  it('give up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(harness().sender.broadcast('00', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(reason).not.toBeInstanceOf(NodeError)
  })
}

/**
 * Tests and broadcasts a transaction, and returns both results. If the node does not support the mempool
 * test, only the result of the broadcast is returned.
 */
async function both({ sender }: UtxoSenderHarness, raw: string) {
  const tested = await sender.testAccept(raw, never)
  const sent = await sender.broadcast(raw, never)
  return tested === undefined ? [sent] : [tested, sent]
}

function promisesOfTaking(harness: Harness<UtxoSenderHarness>): void {
  it('take the same bytes as often as they come: new, waiting and mined', async () => {
    const { raw } = await spendUtxo(harness(), await harness().newUtxo())
    for (const answer of await both(harness(), raw)) expect(answer).toEqual({ type: 'taken' })
    await harness().mine()
    expect(await harness().sender.broadcast(raw, never)).toEqual({ type: 'taken' })
  })

  it('send nothing by testing what would be taken', async () => {
    const utxo = await harness().newUtxo()
    const { raw } = harness().spend(utxo, plainFeeMinor)
    const tested = await harness().sender.testAccept(raw, never)
    expect(tested ?? { type: 'taken' }).toEqual({ type: 'taken' })
    expect(await harness().sender.findWaitingSpender(utxo.outpoint, never)).toBeUndefined()
  })

  it('take what spends change that waits', async () => {
    const { change } = await spendUtxo(harness(), await harness().newUtxo())
    const child = await spendUtxo(harness(), change)
    expect(await harness().sender.findWaitingSpender(change.outpoint, never)).toBe(child.txHash)
  })
}

function promisesOfRivals(harness: Harness<UtxoSenderHarness>): void {
  it('say that coins are gone when another transaction that spends them is mined', async () => {
    const utxo = await harness().newUtxo()
    await spendUtxo(harness(), utxo)
    await harness().mine()
    const { raw } = harness().spend(utxo, 2n * plainFeeMinor)
    for (const answer of await both(harness(), raw)) expect(answer).toMatchObject({ why: 'missing-inputs' })
  })

  it('say that coins are gone that never were', async () => {
    const utxo = { outpoint: `${'cd'.repeat(32)}:0`, amountMinor: 10n ** 9n }
    const { raw } = harness().spend(utxo, plainFeeMinor)
    for (const answer of await both(harness(), raw)) expect(answer).toMatchObject({ why: 'missing-inputs' })
  })

  it('replace what waits by what is dearer where nodes do, and say that it is in the way where they do not', async () => {
    const utxo = await harness().newUtxo()
    const first = await spendUtxo(harness(), utxo)
    const dearer = harness().spend(utxo, 5n * plainFeeMinor)
    const answer = await harness().sender.broadcast(dearer.raw, never)
    const wanted = harness().canReplace ? { type: 'taken' } : { type: 'refused', why: 'conflict' }
    expect(answer).toMatchObject(wanted)
    const waits = await harness().sender.findWaitingSpender(utxo.outpoint, never)
    expect(waits).toBe(harness().canReplace ? dearer.txHash : first.txHash)
  })

  it('refuse a replacement that offers no more', async ({ skip }) => {
    if (!harness().canReplace) skip('nothing is replaced')
    const utxo = await harness().newUtxo()
    await spendUtxo(harness(), utxo)
    const { raw } = harness().spend(utxo, plainFeeMinor - 1n)
    for (const answer of await both(harness(), raw)) expect(answer).toMatchObject({ why: 'underpriced' })
  })
}
