import { expect, it, vi } from 'vitest'
import { NodeError } from '../port.ts'
import { headHeight, mineActs, never, readBlock, severalPayments, type World } from './world.ts'

export function promisesOfBlocks(world: World): void {
  it('names the block before each block as its parent', async () => {
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'coin', to, amountMinor: 1n }])
    await mineActs(world(), [])
    const height = await mineActs(world(), [{ type: 'coin', to, amountMinor: 1n }]).then(() =>
      headHeight(world()),
    )
    const blocks = await Promise.all([height - 2, height - 1, height].map((at) => readBlock(world(), at)))
    expect(blocks.map(({ block }) => block.height)).toEqual([height - 2, height - 1, height])
    expect(blocks.slice(1).map(({ block }) => block.parentHash)).toEqual(
      blocks.slice(0, -1).map(({ block }) => block.hash),
    )
  })

  it('tells the same block by header, by head and by facts', async () => {
    const height = await world().mine()
    const head = await world().reader.readHead(never)
    expect(await world().reader.readHeader(height, never)).toEqual(head)
    expect((await readBlock(world(), height)).block).toEqual(head)
  })

  it('has no block above the head', async () => {
    const above = (await headHeight(world())) + 1
    expect(await world().reader.readBlock(above, never)).toBeUndefined()
    expect(await world().reader.readHeader(above, never)).toBeUndefined()
  })

  it('reads the block before the first transfer', async () => {
    expect((await readBlock(world(), 0)).transfers).toEqual([])
  })

  it('calls no block final that is above the head', async () => {
    const height = await world().mine()
    const final = await world().reader.readFinalHeight(never)
    expect(final ?? 0).toBeLessThanOrEqual(height)
  })

  it('refuses a node that leaves out what moved', async () => {
    const to = world().newAddress()
    await mineActs(world(), [severalPayments(world(), [{ to, amountMinor: 1n }])])
    const height = await headHeight(world())
    await expect(world().blindReader.readBlock(height, never)).rejects.toThrow(NodeError)
  })

  it('gives up with the reason of an aborted signal', async () => {
    const reason = new Error('stopped by the test')
    await expect(world().reader.readHead(AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('hints at new heads until it is told to stop', async () => {
    const stop = new AbortController()
    const onHead = vi.fn()
    world().reader.watchHeads(onHead, stop.signal)
    await vi.waitUntil(
      async () => {
        await world().mine()
        return onHead.mock.calls.length > 0
      },
      { timeout: 10_000, interval: 50 },
    )
    stop.abort()
  })
}
