import { expect, it, vi } from 'vitest'
import { NodeError } from '../port.ts'
import { type Harness, headHeight, mineActs, never, readBlock, severalPayments } from './harness.ts'

export function promisesOfBlocks(harness: Harness): void {
  it('names the block before each block as its parent', async () => {
    const to = harness().newAddress()
    await mineActs(harness(), [{ type: 'coin', to, amountMinor: 1n }])
    await mineActs(harness(), [])
    const height = await mineActs(harness(), [{ type: 'coin', to, amountMinor: 1n }]).then(() =>
      headHeight(harness()),
    )
    const blocks = await Promise.all([height - 2, height - 1, height].map((at) => readBlock(harness(), at)))
    expect(blocks.map(({ block }) => block.height)).toEqual([height - 2, height - 1, height])
    expect(blocks.slice(1).map(({ block }) => block.parentHash)).toEqual(
      blocks.slice(0, -1).map(({ block }) => block.hash),
    )
  })

  it('tells the same block by header, by head and by facts', async () => {
    const height = await harness().mine()
    const head = await harness().reader.readHead(never)
    expect(await harness().reader.readHeader(height, never)).toEqual(head)
    expect((await readBlock(harness(), height)).block).toEqual(head)
  })

  it('has no block above the head', async () => {
    const above = (await headHeight(harness())) + 1
    expect(await harness().reader.readBlock(above, never)).toBeUndefined()
    expect(await harness().reader.readHeader(above, never)).toBeUndefined()
  })

  it('reads the block before the first transfer', async () => {
    expect((await readBlock(harness(), 0)).transfers).toEqual([])
  })

  it('calls no block final that is above the head', async () => {
    const height = await harness().mine()
    const final = await harness().reader.readFinalHeight(never)
    expect(final ?? 0).toBeLessThanOrEqual(height)
  })

  it('refuses a node that leaves out what moved', async () => {
    const to = harness().newAddress()
    await mineActs(harness(), [severalPayments(harness(), [{ to, amountMinor: 1n }])])
    const height = await headHeight(harness())
    await expect(harness().blindReader.readBlock(height, never)).rejects.toThrow(NodeError)
  })

  it('gives up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(harness().reader.readHead(AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('hints at new heads until it is told to stop', async () => {
    const stop = new AbortController()
    const onHead = vi.fn()
    harness().reader.watchHeads(onHead, stop.signal)
    await vi.waitUntil(
      async () => {
        await harness().mine()
        return onHead.mock.calls.length > 0
      },
      { timeout: 10_000, interval: 50 },
    )
    stop.abort()
  })
}
