import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import type { MempoolReader, WaitingTransaction } from '../port.ts'
import {
  headHeight,
  type MempoolWorld,
  mineActs,
  never,
  type PreparedTransaction,
  readBlock,
  type World,
} from './world.ts'

export function promisesOfMempools(world: World): void {
  promisesOfWhatWaits(world)
  promisesOfRivals(world)

  it('tells of no mempool where there are no outpoints', async ({ skip }) => {
    if (world().reader.traits.hasOutpoints) skip('its traits say that there are outpoints')
    expect(world().reader.mempool).toBeUndefined()
    await mineActs(world(), [{ type: 'coin', to: world().newAddress(), amountMinor: 1n }])
    expect((await readBlock(world(), await headHeight(world()))).spent).toBeUndefined()
  })
}

type Skip = (note: string) => never

function mempoolOf(world: World, skip: Skip): MempoolWorld {
  if (!world().reader.traits.hasOutpoints) skip('its traits say that there are no outpoints')
  return required(world().mempool, 'the mempool of a world with outpoints')
}

function readerOf(world: World): MempoolReader {
  return required(world().reader.mempool, 'the mempool of a chain with outpoints')
}

async function waits(world: World, { txHash }: PreparedTransaction): Promise<boolean> {
  return (await readerOf(world).listMempool(never)).includes(txHash)
}

async function readOne(world: World, { txHash }: PreparedTransaction): Promise<WaitingTransaction> {
  const [waiting] = await readerOf(world).readWaiting([txHash], never)
  return required(waiting, 'a waiting transaction')
}

function promisesOfWhatWaits(world: World): void {
  it('tells of a waiting transaction what its block will tell of it', async ({ skip }) => {
    const mempool = mempoolOf(world, skip)
    const to = world().newAddress()
    const payment = await world().prepare({ type: 'coin', to, amountMinor: 7_000_000n })
    await mempool.submit(payment)
    expect(await waits(world, payment)).toBe(true)
    const waiting = await readOne(world, payment)
    const { transfers, spent = [] } = await readBlock(world(), await world().mine([payment]))
    const own = transfers.filter(({ txHash }) => txHash === payment.txHash)
    expect(waiting.transfers).toEqual(own)
    expect(own).toContainEqual(expect.objectContaining({ recipient: to, amountMinor: 7_000_000n }))
    const spentByIt = spent.filter(({ txHash }) => txHash === payment.txHash)
    expect(waiting.spends).toEqual(spentByIt.map(({ outpoint }) => outpoint))
    expect(spentByIt.length).toBeGreaterThan(0)
    expect(await waits(world, payment)).toBe(false)
    expect(await readerOf(world).readWaiting([payment.txHash], never)).toEqual([])
  })

  it('lets a transaction wait again whose block was dropped', async ({ skip }) => {
    const mempool = mempoolOf(world, skip)
    const to = world().newAddress()
    const payment = await world().prepare({ type: 'coin', to, amountMinor: 6_000_000n })
    await mempool.submit(payment)
    const before = await readOne(world, payment)
    await world().mine([payment])
    await world().rollback(1)
    expect(await waits(world, payment)).toBe(true)
    expect(await readOne(world, payment)).toEqual(before)
    await world().mine([payment])
  })

  it('names all that must be spent before a waiting transaction can be mined', async ({ skip }) => {
    const mempool = mempoolOf(world, skip)
    const pay = () => ({ to: world().newAddress(), amountMinor: 5_000_000n })
    const parent = await world().prepare({ type: 'coin', ...pay() })
    await mempool.submit(parent)
    const child = await mempool.prepareChild(parent, { ...pay(), amountMinor: 1_000_000n })
    await mempool.submit(child)
    const lineage = async () =>
      (await readerOf(world).readLineage(child.txHash, never))?.toSorted((a, b) =>
        a.outpoint.localeCompare(b.outpoint),
      )
    const own = await readOne(world, child)
    const above = await readOne(world, parent)
    const needed = [own, above].flatMap(({ txHash, spends }) =>
      spends.map((outpoint) => ({ outpoint, txHash })),
    )
    expect(await lineage()).toEqual(needed.toSorted((a, b) => a.outpoint.localeCompare(b.outpoint)))
    await world().mine([parent])
    expect(await lineage()).toEqual(own.spends.map((outpoint) => ({ outpoint, txHash: child.txHash })))
    await world().mine([child])
    expect(await lineage()).toBeUndefined()
  })
}

function promisesOfRivals(world: World): void {
  it('lets nothing wait that spends what a block has spent, and tells who spent it', async ({ skip }) => {
    const { payment, rival, spends } = await rivalsOf(world, skip)
    const { spent = [] } = await readBlock(world(), await world().mine([rival]))
    expect(rival.txHash).not.toBe(payment.txHash)
    expect(spent.filter(({ outpoint }) => spends.includes(outpoint))).toContainEqual(
      expect.objectContaining({ txHash: rival.txHash }),
    )
    expect(await waits(world, payment)).toBe(false)
    expect(await readerOf(world).readWaiting([payment.txHash], never)).toEqual([])
  })

  it('holds one of two that spend the same: the one that replaced the other', async ({ skip }) => {
    const { mempool, payment, rival, spends } = await rivalsOf(world, skip)
    await mempool.submit(rival)
    expect(await waits(world, payment)).toBe(false)
    expect((await readOne(world, rival)).spends).toEqual(expect.arrayContaining(spends.slice(0, 1)))
    await world().mine([rival])
  })
}

/** A payment that waits, what it spends, and another transaction that spends the same and is told to nobody yet. */
async function rivalsOf(world: World, skip: Parameters<typeof mempoolOf>[1]) {
  const mempool = mempoolOf(world, skip)
  const payment = await world().prepare({
    type: 'coin',
    to: world().newAddress(),
    amountMinor: 4_000_000n,
  })
  const rival = await mempool.prepareRival(payment, { to: world().newAddress(), amountMinor: 3_000_000n })
  await mempool.submit(payment)
  const { spends } = await readOne(world, payment)
  return { mempool, payment, rival, spends }
}
