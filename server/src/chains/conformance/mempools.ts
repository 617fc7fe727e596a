import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import type { MempoolReader, WaitingTransaction } from '../port.ts'
import {
  type Harness,
  headHeight,
  type MempoolHarness,
  mineActs,
  never,
  type PreparedTransaction,
  readBlock,
} from './harness.ts'

export function promisesOfMempools(harness: Harness): void {
  promisesOfWhatWaits(harness)
  promisesOfRivals(harness)

  it('tells of no mempool where there are no outpoints', async ({ skip }) => {
    if (harness().reader.traits.hasOutpoints) skip('its traits say that there are outpoints')
    expect(harness().reader.mempool).toBeUndefined()
    await mineActs(harness(), [{ type: 'coin', to: harness().newAddress(), amountMinor: 1n }])
    expect((await readBlock(harness(), await headHeight(harness()))).spent).toBeUndefined()
  })
}

type Skip = (note: string) => never

function mempoolOf(harness: Harness, skip: Skip): MempoolHarness {
  if (!harness().reader.traits.hasOutpoints) skip('its traits say that there are no outpoints')
  return required(harness().mempool, 'the mempool of a world with outpoints')
}

function readerOf(harness: Harness): MempoolReader {
  return required(harness().reader.mempool, 'the mempool of a chain with outpoints')
}

async function waits(harness: Harness, { txHash }: PreparedTransaction): Promise<boolean> {
  return (await readerOf(harness).listMempool(never)).includes(txHash)
}

async function readOne(harness: Harness, { txHash }: PreparedTransaction): Promise<WaitingTransaction> {
  const [waiting] = await readerOf(harness).readWaiting([txHash], never)
  return required(waiting, 'a waiting transaction')
}

function promisesOfWhatWaits(harness: Harness): void {
  it('tells of a waiting transaction what its block will tell of it', async ({ skip }) => {
    const mempool = mempoolOf(harness, skip)
    const to = harness().newAddress()
    const payment = await harness().prepare({ type: 'coin', to, amountMinor: 7_000_000n })
    await mempool.submit(payment)
    expect(await waits(harness, payment)).toBe(true)
    const waiting = await readOne(harness, payment)
    const { transfers, spent = [] } = await readBlock(harness(), await harness().mine([payment]))
    const own = transfers.filter(({ txHash }) => txHash === payment.txHash)
    expect(waiting.transfers).toEqual(own)
    expect(own).toContainEqual(expect.objectContaining({ recipient: to, amountMinor: 7_000_000n }))
    const spentByIt = spent.filter(({ txHash }) => txHash === payment.txHash)
    expect(waiting.spends).toEqual(spentByIt.map(({ outpoint }) => outpoint))
    expect(spentByIt.length).toBeGreaterThan(0)
    expect(await waits(harness, payment)).toBe(false)
    expect(await readerOf(harness).readWaiting([payment.txHash], never)).toEqual([])
  })

  it('lets a transaction wait again whose block was dropped', async ({ skip }) => {
    const mempool = mempoolOf(harness, skip)
    const to = harness().newAddress()
    const payment = await harness().prepare({ type: 'coin', to, amountMinor: 6_000_000n })
    await mempool.submit(payment)
    const before = await readOne(harness, payment)
    await harness().mine([payment])
    await harness().rollback(1)
    expect(await waits(harness, payment)).toBe(true)
    expect(await readOne(harness, payment)).toEqual(before)
    await harness().mine([payment])
  })

  it('names all that must be spent before a waiting transaction can be mined', async ({ skip }) => {
    const mempool = mempoolOf(harness, skip)
    const pay = () => ({ to: harness().newAddress(), amountMinor: 5_000_000n })
    const parent = await harness().prepare({ type: 'coin', ...pay() })
    await mempool.submit(parent)
    const child = await mempool.prepareChild(parent, { ...pay(), amountMinor: 1_000_000n })
    await mempool.submit(child)
    const ancestors = async () =>
      (await readerOf(harness).readAncestors(child.txHash, never))?.toSorted((a, b) =>
        a.outpoint.localeCompare(b.outpoint),
      )
    const own = await readOne(harness, child)
    const above = await readOne(harness, parent)
    const needed = [own, above].flatMap(({ txHash, spends }) =>
      spends.map((outpoint) => ({ outpoint, txHash })),
    )
    expect(await ancestors()).toEqual(needed.toSorted((a, b) => a.outpoint.localeCompare(b.outpoint)))
    await harness().mine([parent])
    expect(await ancestors()).toEqual(own.spends.map((outpoint) => ({ outpoint, txHash: child.txHash })))
    await harness().mine([child])
    expect(await ancestors()).toBeUndefined()
  })
}

function promisesOfRivals(harness: Harness): void {
  it('lets nothing wait that spends what a block has spent, and tells who spent it', async ({ skip }) => {
    const { payment, rival, spends } = await rivalsOf(harness, skip)
    const { spent = [] } = await readBlock(harness(), await harness().mine([rival]))
    expect(rival.txHash).not.toBe(payment.txHash)
    expect(spent.filter(({ outpoint }) => spends.includes(outpoint))).toContainEqual(
      expect.objectContaining({ txHash: rival.txHash }),
    )
    expect(await waits(harness, payment)).toBe(false)
    expect(await readerOf(harness).readWaiting([payment.txHash], never)).toEqual([])
  })

  it('holds one of two that spend the same: the one that replaced the other', async ({ skip }) => {
    const { mempool, payment, rival, spends } = await rivalsOf(harness, skip)
    await mempool.submit(rival)
    expect(await waits(harness, payment)).toBe(false)
    expect((await readOne(harness, rival)).spends).toEqual(expect.arrayContaining(spends.slice(0, 1)))
    await harness().mine([rival])
  })
}

/**
 * Returns a payment in the mempool, the outpoints that it spends, and a conflicting transaction that is not
 * yet submitted.
 */
async function rivalsOf(harness: Harness, skip: Parameters<typeof mempoolOf>[1]) {
  const mempool = mempoolOf(harness, skip)
  const payment = await harness().prepare({
    type: 'coin',
    to: harness().newAddress(),
    amountMinor: 4_000_000n,
  })
  const rival = await mempool.prepareRival(payment, { to: harness().newAddress(), amountMinor: 3_000_000n })
  await mempool.submit(payment)
  const { spends } = await readOne(harness, payment)
  return { mempool, payment, rival, spends }
}
