/**
 * Tests the search for missed payments on an EVM chain: payments that were hidden by a lying node are found,
 * attributed and booked.
 */
import { expect, it, onTestFinished } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { openQuorumReader } from '../../src/chains/quorum/reader.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { openRecoveries } from '../../src/recovery/lost-history/loss-store.ts'
import { watchForMissed } from '../../src/recovery/missed/watch-for-missed.ts'
import { forgetBlocks } from '../../src/watcher/forget-blocks.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { ageBlocks } from '../support/aged-rows.ts'
import { quantity, readTestContract } from '../support/anvil.ts'
import { blindReader, overReader } from '../support/blind-reader.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { blockRecords, cursorRecords } from '../support/chains/records.ts'
import { forgetLosses } from '../support/lose-records.ts'
import { sweepRecords, sweptAddressRecords } from '../support/outgoing/records.ts'
import { addressRecords, depositRecords, missedSearchRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { readFindings, searchMissed } from '../support/search-missed.ts'
import { balanceOf, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const never = new AbortController().signal

/** Mines a block that the watcher follows without seeing its payments, and makes it final. */
async function mineUnseen(): Promise<number> {
  const height = await anvil.mine()
  await flow.followToHead({ chain: blindReader(flow.reader) })
  await flow.mineAndFollow(4)
  return height
}

async function cursorHeight(): Promise<number> {
  return (await cursorRecords.one(shop.db, {}, 'height')).height
}

async function findingsOfVerify(): Promise<readonly string[]> {
  const { entries } = await verify({ db: shop.db, methods: shop.methods })
  return entries.flatMap(({ id, findings }) => (id === 'M7-search' ? findings : []))
}

it('finds a token payment without a hint where to search, and books it to its invoice', async () => {
  const alerts: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, error: (fields) => void alerts.push(fields) }
  const search = searchMissed(shop, flow.reader, log)
  await flow.mineAndFollow(4)
  expect(await search.find()).toEqual([])
  const invoice = await flow.openInvoice()
  const { address, amountMinor } = invoice
  await flow.pay(invoice)
  const height = await mineUnseen()
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })

  const missed = { address, asset: 'ethereum/USDT', height, amountMinor, isLocated: true }
  expect(await search.find()).toMatchObject([missed])
  expect(alerts).toMatchObject([{ alert: 'missed-payment', address, height, amountMinor: `${amountMinor}` }])
  expect(await findingsOfVerify()).toEqual([expect.stringContaining(`${address} holds ${amountMinor}`)])
  expect(await search.find(), 'is told once').toEqual([])

  const before = await cursorHeight()
  const { invoiceId } = invoice
  expect(await search.recover()).toMatchObject([{ type: 'booked', payments: [{ invoiceId, height }] }])
  expect(await cursorHeight()).toBe(before)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  expect(await search.recover()).toEqual([])
  expect(await search.find()).toEqual([])
  expect(await findingsOfVerify()).toEqual([])
  const entries = await auditRecords.all(shop.db, { action: 'deposits.missed_booked' }, 'action')
  expect(entries).toHaveLength(1)
})

it('books a payment once although its block is replaced and another one includes it', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.mineAndFollow()
  const txHash = await flow.pay(invoice)
  await mineUnseen()
  await search.find()
  expect(await search.recover()).toMatchObject([{ type: 'booked' }])
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await flow.rollBack(5)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(6)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await search.find()).toEqual([])
  const rows = await depositRecords.all(shop.db, { txHash }, 'inclusion', 'state')
  expect(rows).toEqual([{ inclusion: 2, state: 'confirmed' }])
})

it('books nothing while a recovery of lost rows runs, begun before or meanwhile', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  await searchMissed(shop, flow.reader).find()
  const noteLoss = () => openRecoveries(shop.db, { incarnation: 1 }, { families: ['evm'], since: new Date() })
  const losing = overReader(flow.reader, {
    readBlock: async (height, signal) => {
      await noteLoss()
      return flow.reader.readBlock(height, signal)
    },
  })
  await expect(searchMissed(shop, losing).recover()).rejects.toThrow(
    'the recovery of its addresses is not complete',
  )
  await expect(searchMissed(shop, flow.reader).recover()).rejects.toThrow('run the command again')
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  await forgetLosses(flow.database)
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

// biome-ignore lint/suspicious/noExplicitAny: traces are what a node says they are
type TraceBody = any

/** Starts a node with altered traces. It is the only node, so nothing contradicts it. */
async function startLyingNode(alter: (traces: TraceBody[]) => TraceBody[]) {
  const node = await startAlteredNode(anvil.url, (call, answer) => {
    if (call.method !== 'trace_block' || !Array.isArray(answer['result'])) return answer
    return { ...answer, result: alter(answer['result']) }
  })
  const chain = openDevChain(node.url)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
  })
  return chain
}

/** Leaves out the internal transfers of contracts. */
function withoutInner(traces: TraceBody[]): TraceBody[] {
  return traces.filter(({ traceAddress }) => traceAddress.length === 0)
}

async function payInside({ address, amountMinor }: OpenInvoice): Promise<string> {
  const artifact = await readTestContract('Forwarder')
  const contract = await anvil.deploy(artifact)
  const args = [[address], [amountMinor]]
  return anvil.sendCall({ contract, artifact, name: 'pay', args, valueMinor: amountMinor })
}

it('finds a payment by a contract that the traces left out, and books it by a node that reports it', async () => {
  const lying = await startLyingNode(withoutInner)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const txHash = await payInside(invoice)
  await anvil.mine(5)
  await flow.followToHead({ chain: lying })
  const search = searchMissed(shop, lying)
  const { address, amountMinor } = invoice
  expect(await search.find()).toMatchObject([{ address, asset: 'ethereum/ETH', amountMinor }])
  expect(await search.recover()).toMatchObject([
    { type: 'unexplained', why: expect.stringContaining('configure another node') },
  ])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([
    { type: 'booked', payments: [{ txHash, invoiceId: invoice.invoiceId }] },
  ])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it('finds several payments to one address separately, and one that is newer than the booked ones', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 1_000_000n)
  await flow.mineAndFollow(4)
  await flow.pay(invoice, 2_000_000n)
  await flow.pay(invoice, 3_000_000n)
  const first = await mineUnseen()
  await flow.pay(invoice, 4_000_000n)
  const second = await mineUnseen()
  expect(await search.find()).toMatchObject([
    { height: first, amountMinor: 5_000_000n },
    { height: second, amountMinor: 4_000_000n },
  ])
  expect(await search.recover()).toMatchObject([
    { type: 'booked', payments: [{ amount: '2' }, { amount: '3' }] },
    { type: 'booked', payments: [{ amount: '4' }] },
  ])
  const seen = await flow.openInvoice()
  for (const amountMinor of [1_000_000n, 2_000_000n, 3_000_000n, 4_000_000n])
    await flow.pay(seen, amountMinor)
  await flow.mineAndFollow(4)
  expect(await balanceOf(shop, invoice), 'as one that was seen').toBe(await balanceOf(shop, seen))
  expect(await invoiceStatusOf(shop, invoice)).toEqual(await invoiceStatusOf(shop, seen))
})

it('finds the block of a payment by a node that keeps only the state since the last scan', async () => {
  await flow.mineAndFollow(4)
  await searchMissed(shop, flow.reader).find()
  const { comparedHeight: keptFrom } = await missedSearchRecords.one(shop.db, {}, 'comparedHeight')
  const pruned = overReader(flow.reader, {
    readBalances: async (asset, addresses, height, signal) => {
      if (height < keptFrom) throw new NodeError('missing trie node')
      return flow.reader.readBalances(asset, addresses, height, signal)
    },
  })
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  const height = await mineUnseen()
  const { address, amountMinor } = invoice
  const search = searchMissed(shop, pruned)
  expect(await search.find()).toMatchObject([{ address, height, amountMinor, isLocated: true }])
  expect(await search.recover()).toMatchObject([{ type: 'booked' }])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it('reports a difference that no transfer explains, and books nothing', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const { address } = invoice
  await anvil.rpc('anvil_setBalance', [address, quantity(5n)])
  await flow.mineAndFollow(4)
  expect(await search.find()).toMatchObject([{ address, amountMinor: 5n }])
  expect(await search.recover()).toMatchObject([{ type: 'unexplained' }])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await search.find(), 'is not told again').toEqual([])
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'unexplained', minor: '5' })
  await anvil.rpc('anvil_setBalance', [address, '0x0'])
  await flow.mineAndFollow(4)
  await search.find()
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'gone', minor: '5' })
})

it("keeps the part of a difference that a block's transfers do not explain, and books the others", async () => {
  const lying = await startLyingNode(withoutInner)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const { address, amountMinor } = invoice
  await payInside(invoice)
  await anvil.sendCoin({ to: address, amountMinor: 7n })
  const height = await mineUnseen()
  const search = searchMissed(shop, lying)
  expect(await search.find()).toMatchObject([{ address, height, amountMinor: amountMinor + 7n }])
  expect(await search.recover()).toMatchObject([{ type: 'booked', restMinor: amountMinor, payments: [{}] }])
  const rest = { address, state: 'unexplained', minor: `${amountMinor}` }
  expect(await readFindings(shop.db)).toContainEqual(rest)
  expect(await search.recover()).toMatchObject([{ type: 'unexplained' }])
  expect(await search.find(), 'is not told again').toEqual([])
  expect(await readFindings(shop.db)).toContainEqual(rest)
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked', restMinor: 0n }])
  expect(await invoiceStatusOf(shop, invoice)).toMatchObject({ state: 'paid' })
})

it('keeps a finding while a sweep begins to empty its address', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  expect(await searchMissed(shop, flow.reader).find()).toHaveLength(1)
  const { address } = invoice
  let headers = 0
  const sweeping = overReader(flow.reader, {
    readHeader: async (height, signal) => {
      headers += 1
      // Each comparison reads the header before and after. The third header therefore begins the second
      // comparison.
      if (headers === 3) await planSweep(address)
      return flow.reader.readHeader(height, signal)
    },
  })
  await searchMissed(shop, sweeping).find()
  expect(headers).toBe(4)
  const minor = `${invoice.amountMinor}`
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'open', minor })
  await searchMissed(shop, flow.reader).find()
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'open', minor })
  await dropSweeps()
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
})

/** Plans a sweep of all of a token that the address holds, and of no other asset. */
async function planSweep(address: string): Promise<void> {
  const { id: addressId } = await addressRecords.one(shop.db, { address }, 'id')
  const sweepId = newId()
  const sweep = { id: sweepId, network: 'ethereum', kind: 'sweep', assets: ['ethereum/USDT'] }
  await sweepRecords.add(shop.db, sweep)
  await sweptAddressRecords.add(shop.db, { sweepId, addressId })
}

async function dropSweeps(): Promise<void> {
  await sweepRecords.change(shop.db, { state: 'planned' }, { state: 'dropped', endedAt: now })
}

it('books a payment once if two commands book it at once', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  expect(await search.find()).toHaveLength(1)
  const outcomes = (await Promise.all([search.recover(), search.recover()])).flat()
  expect(outcomes.map(({ type }) => type).toSorted()).toEqual(['booked', 'known'])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it.each<[string, (invoice: OpenInvoice) => Promise<unknown>]>([
  ['a payment', ({ address: to, amountMinor }) => anvil.sendCoin({ to, amountMinor })],
  ['what a contract pays', payInside],
])('finds a payment although a node names one of our addresses as its sender: %s', async (_, pay) => {
  const other = await flow.openInvoice({ methodId: 3 })
  const invoice = await flow.openInvoice({ methodId: 3 })
  const lying = await startLyingNode((traces) =>
    traces.map((trace) =>
      trace.action.to === invoice.address
        ? { ...trace, action: { ...trace.action, from: other.address } }
        : trace,
    ),
  )
  await pay(invoice)
  const height = await anvil.mine()
  const { amountMinor } = invoice
  await expect(flow.followToHead({ chain: lying })).rejects.toThrow(/but that 0x\S+ signed it/)
  await flow.followToHead({ chain: blindReader(flow.reader) })
  await flow.mineAndFollow(4)
  expect(await searchMissed(shop, lying).reread(height)).toEqual([])
  expect(await searchMissed(shop, lying).find()).toMatchObject([{ isLocated: false, amountMinor }])
  const honest = searchMissed(shop, flow.reader)
  expect(await honest.find()).toMatchObject([{ height, isLocated: true, amountMinor }])
  expect(await searchMissed(shop, lying).recover()).toMatchObject([
    { type: 'unexplained', why: expect.stringContaining('signed') },
    { type: 'unexplained' },
  ])
  expect(await honest.recover()).toMatchObject([{ type: 'booked' }, { type: 'unexplained' }])
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await honest.find()).toEqual([])
})

it('reports nothing while the nodes are on another branch than the books', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  const elsewhere = blindReader(flow.reader)
  const forked = Object.create(elsewhere, {
    readHeader: {
      value: async (height: number) => {
        const header = await flow.reader.readHeader(height, never)
        return header && { ...header, hash: `0x${'11'.repeat(32)}` }
      },
    },
  })
  await expect(searchMissed(shop, forked).find()).rejects.toThrow('could be compared')
  expect(await searchMissed(shop, flow.reader).find()).toHaveLength(1)
  await searchMissed(shop, flow.reader).recover()
})

it('reads a sample of past blocks again, and finds their payments', async () => {
  const invoice = await flow.openInvoice()
  const txHash = await flow.pay(invoice)
  const height = await mineUnseen()
  const { address, amountMinor } = invoice
  const found = await searchMissed(shop, flow.reader).reread(height)
  expect(found).toMatchObject([{ address, height, amountMinor, txHash, foundBy: 'block' }])
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
  expect(await balanceOf(shop, invoice)).toBe('9.8')
})

it('asks a node first that did not read the blocks before, and accepts what two nodes report', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  const height = await mineUnseen()
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (fields) => void warnings.push(fields) }
  const blind = () => blindReader(flow.reader)
  const twoBlind = openQuorumReader([blind(), blind(), flow.reader], silentLog)
  expect(await searchMissed(shop, twoBlind, log).reread(height)).toEqual([])
  expect(warnings).toContainEqual(expect.objectContaining({ recipient: invoice.address }))
  const oneBlind = openQuorumReader([flow.reader, blind(), flow.reader], silentLog)
  expect(await searchMissed(shop, oneBlind).reread(height)).toHaveLength(1)
  await searchMissed(shop, flow.reader).recover()
})

it('searches automatically, under its own lease, until it is stopped', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  const stop = new AbortController()
  const reported = new Promise<Record<string, unknown>>((resolve) => {
    const log: Log = { ...silentLog, error: resolve }
    const { db, methods } = shop
    const parts = { db, methods, log, chain: flow.reader, clock: systemClock, signal: stop.signal }
    onTestFinished(async () => {
      stop.abort()
      await watching
    })
    const watching = watchForMissed(parts)
  })
  expect(await reported).toMatchObject({ alert: 'missed-payment', address: invoice.address })
  stop.abort()
  await searchMissed(shop, flow.reader).recover()
})

it('books a payment whose block was deleted, by the block that the nodes have', async () => {
  const search = searchMissed(shop, flow.reader)
  const early = await flow.openInvoice()
  const late = await flow.openInvoice()
  await flow.mineAndFollow(2)
  const heights: number[] = []
  for (const invoice of [early, late]) {
    await flow.pay(invoice)
    heights.push(await anvil.mine())
    await flow.followToHead({ chain: blindReader(flow.reader) })
  }
  const [known = 0, forgotten = 0] = heights
  await flow.mineAndFollow(14)
  expect(await search.reread(known)).toHaveLength(1)
  await ageBlocks(flow.database.owner, 200)
  const forget = forgetBlocks({ db: shop.db }, { blocks: 8, days: 180, blocksMax: 1_000 })
  while ((await forget.runBatch(never)) > 0);
  const kept = await blockRecords.all(shop.db, { height: heights }, 'height')
  expect(kept, 'the block of the finding that waits').toEqual([{ height: known }])

  expect(await search.find()).toMatchObject([{ address: late.address, height: forgotten }])
  const elsewhere = Object.create(flow.reader, {
    readBlock: {
      value: async (height: number) => {
        const facts = await flow.reader.readBlock(height, never)
        const parentHash = `0x${'22'.repeat(32)}`
        return facts && { ...facts, block: { ...facts.block, hash: `0x${'11'.repeat(32)}`, parentHash } }
      },
    },
  })
  const another = { type: 'unexplained', why: expect.stringContaining('another block') }
  expect(await searchMissed(shop, elsewhere).recover()).toMatchObject([another, another])
  expect(await search.recover()).toMatchObject([
    { type: 'booked', payments: [{ invoiceId: early.invoiceId }] },
    { type: 'booked', payments: [{ invoiceId: late.invoiceId, height: forgotten }] },
  ])
  expect(await invoiceStatusOf(shop, late)).toEqual({ state: 'paid', exceptions: [] })
  expect(await search.find()).toEqual([])
})

it('exports its progress as metrics', async () => {
  const search = searchMissed(shop, flow.reader)
  await search.find()
  await search.reread((await cursorHeight()) - 3)
  const text = await openMetrics().read(shop)
  const figure = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`coffer_${name}`))
        ?.split(' ')
        .at(-1),
    )
  expect(figure('missed_payments{network="ethereum",state="open"}')).toBe(0)
  expect(figure('address_coverage_seconds{network="ethereum"}')).toBeLessThan(600)
  expect(figure('address_rotation_seconds{network="ethereum"}')).toBeGreaterThan(0)
  expect(figure('blocks_read_again{network="ethereum",outcome="read"}')).toBeGreaterThan(0)
})
