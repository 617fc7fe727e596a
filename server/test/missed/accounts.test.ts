/** A9 on a chain of accounts: payments that the blocks of a lying node did not show are found, named and booked. */
import sql from 'sql-template-tag'
import { expect, it, onTestFinished } from 'vitest'
import { NodeError } from '../../src/chains/port.ts'
import { overSeveral } from '../../src/chains/quorum/several-nodes.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { openRecoveries } from '../../src/recovery/lost-history/loss-store.ts'
import { watchForMissed } from '../../src/recovery/missed/watch-for-missed.ts'
import { forgetBlocks } from '../../src/watcher/forget-blocks.ts'
import { startAlteredNode } from '../chains/altered-node.ts'
import { openDevChain } from '../chains/evm-world.ts'
import { ageBlocks } from '../support/aged-rows.ts'
import { quantity, readTestContract } from '../support/anvil.ts'
import { blindReader, overReader } from '../support/blind-reader.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { forgetLosses } from '../support/lose-records.ts'
import { readFindings, searchMissed } from '../support/search-missed.ts'
import { balanceOf, eventsOf, paidOnce, standingOf } from '../support/shop-sight.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const never = new AbortController().signal

/** What was sent is in a block that the watcher follows without seeing it, and that block is final. */
async function mineUnseen(): Promise<number> {
  const height = await anvil.mine()
  await flow.followToHead({ chain: blindReader(flow.reader) })
  await flow.mineAndFollow(4)
  return height
}

async function cursorHeight(): Promise<number> {
  return (await shop.row<{ height: number }>(sql`select height from chain_cursor`)).height
}

async function findingsOfVerify(): Promise<readonly string[]> {
  const { entries } = await verify({ db: shop.db, methods: shop.methods })
  return entries.flatMap(({ id, findings }) => (id === 'M7-search' ? findings : []))
}

it('finds a token payment without being told where, and books it to its invoice', async () => {
  const alerts: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, error: (fields) => void alerts.push(fields) }
  const search = searchMissed(shop, flow.reader, log)
  await flow.mineAndFollow(4)
  expect(await search.look()).toEqual([])
  const invoice = await flow.openInvoice()
  const { address, amountMinor } = invoice
  await flow.pay(invoice)
  const height = await mineUnseen()
  expect(await standingOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })

  const missed = { address, asset: 'ethereum/USDT', height, amountMinor, isLocated: true }
  expect(await search.look()).toMatchObject([missed])
  expect(alerts).toMatchObject([{ alert: 'missed-payment', address, height, amountMinor: `${amountMinor}` }])
  expect(await findingsOfVerify()).toEqual([expect.stringContaining(`${address} holds ${amountMinor}`)])
  expect(await search.look(), 'is told once').toEqual([])

  const before = await cursorHeight()
  const { invoiceId } = invoice
  expect(await search.recover()).toMatchObject([{ type: 'booked', payments: [{ invoiceId, height }] }])
  expect(await cursorHeight()).toBe(before)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  expect(await search.recover()).toEqual([])
  expect(await search.look()).toEqual([])
  expect(await findingsOfVerify()).toEqual([])
  const entries = await shop.db.query(
    sql`select action from audit_entry where action = 'deposits.missed_booked'`,
  )
  expect(entries).toHaveLength(1)
})

it('books a payment once though its block is taken back and another one holds it', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.mineAndFollow()
  const txHash = await flow.pay(invoice)
  await mineUnseen()
  await search.look()
  expect(await search.recover()).toMatchObject([{ type: 'booked' }])
  const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
  await flow.rollBack(5)
  await anvil.rpc('eth_sendRawTransaction', [raw])
  await flow.mineAndFollow(6)
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await search.look()).toEqual([])
  const rows = await shop.db.query(sql`select inclusion, state from transaction where tx_hash = ${txHash}`)
  expect(rows).toEqual([{ inclusion: 2, state: 'confirmed' }])
})

it('books nothing while what the database lost is put back, begun before or meanwhile', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  await searchMissed(shop, flow.reader).look()
  const noteLoss = () => openRecoveries(shop.db, { incarnation: 1 }, { families: ['evm'], since: new Date() })
  const losing = overReader(flow.reader, {
    readBlock: async (height, signal) => {
      await noteLoss()
      return flow.reader.readBlock(height, signal)
    },
  })
  await expect(searchMissed(shop, losing).recover()).rejects.toThrow('the recovery of its addresses goes on')
  await expect(searchMissed(shop, flow.reader).recover()).rejects.toThrow('run the command again')
  expect(await standingOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  await forgetLosses(flow.database)
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

// biome-ignore lint/suspicious/noExplicitAny: traces are what a node says they are
type ToldTrace = any

/** A node, believed alone, that tells of other traces. */
async function startLyingNode(alter: (traces: ToldTrace[]) => ToldTrace[]) {
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

/** No root of a block tells of the inner transfers of contracts. */
function withoutInner(traces: ToldTrace[]): ToldTrace[] {
  return traces.filter(({ traceAddress }) => traceAddress.length === 0)
}

async function payInside({ address, amountMinor }: OpenInvoice): Promise<string> {
  const artifact = await readTestContract('Forwarder')
  const contract = await anvil.deploy(artifact)
  const args = [[address], [amountMinor]]
  return anvil.sendCall({ contract, artifact, name: 'pay', args, valueMinor: amountMinor })
}

it('finds what a contract paid and traces left out, and books it by a node that tells of it', async () => {
  const lying = await startLyingNode(withoutInner)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const txHash = await payInside(invoice)
  await anvil.mine(5)
  await flow.followToHead({ chain: lying })
  const search = searchMissed(shop, lying)
  const { address, amountMinor } = invoice
  expect(await search.look()).toMatchObject([{ address, asset: 'ethereum/ETH', amountMinor }])
  expect(await search.recover()).toMatchObject([
    { type: 'unexplained', why: expect.stringContaining('name another node') },
  ])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([
    { type: 'booked', payments: [{ txHash, invoiceId: invoice.invoiceId }] },
  ])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it('finds several payments to one address apart, and one that came after what is booked', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 1_000_000n)
  await flow.mineAndFollow(4)
  await flow.pay(invoice, 2_000_000n)
  await flow.pay(invoice, 3_000_000n)
  const first = await mineUnseen()
  await flow.pay(invoice, 4_000_000n)
  const second = await mineUnseen()
  expect(await search.look()).toMatchObject([
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
  expect(await standingOf(shop, invoice)).toEqual(await standingOf(shop, seen))
})

it('finds the block of a payment by a node that keeps the state since the last look alone', async () => {
  await flow.mineAndFollow(4)
  await searchMissed(shop, flow.reader).look()
  const { keptFrom } = await shop.row<{ keptFrom: number }>(
    sql`select compared_height as "keptFrom" from missed_payment_search`,
  )
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
  expect(await search.look()).toMatchObject([{ address, height, amountMinor, isLocated: true }])
  expect(await search.recover()).toMatchObject([{ type: 'booked' }])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it('tells of what no transfer explains, and books nothing', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const { address } = invoice
  await anvil.rpc('anvil_setBalance', [address, quantity(5n)])
  await flow.mineAndFollow(4)
  expect(await search.look()).toMatchObject([{ address, amountMinor: 5n }])
  expect(await search.recover()).toMatchObject([{ type: 'unexplained' }])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await search.look(), 'is not told again').toEqual([])
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'unexplained', minor: '5' })
  await anvil.rpc('anvil_setBalance', [address, '0x0'])
  await flow.mineAndFollow(4)
  await search.look()
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'gone', minor: '5' })
})

it('keeps what the transfers of a block do not explain, and books the others', async () => {
  const lying = await startLyingNode(withoutInner)
  const invoice = await flow.openInvoice({ methodId: 3 })
  const { address, amountMinor } = invoice
  await payInside(invoice)
  await anvil.sendCoin({ to: address, amountMinor: 7n })
  const height = await mineUnseen()
  const search = searchMissed(shop, lying)
  expect(await search.look()).toMatchObject([{ address, height, amountMinor: amountMinor + 7n }])
  expect(await search.recover()).toMatchObject([{ type: 'booked', restMinor: amountMinor, payments: [{}] }])
  const rest = { address, state: 'unexplained', minor: `${amountMinor}` }
  expect(await readFindings(shop.db)).toContainEqual(rest)
  expect(await search.recover()).toMatchObject([{ type: 'unexplained' }])
  expect(await search.look(), 'is not told again').toEqual([])
  expect(await readFindings(shop.db)).toContainEqual(rest)
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked', restMinor: 0n }])
  expect(await standingOf(shop, invoice)).toMatchObject({ state: 'paid' })
})

it('ends no finding while a sweep begins to empty its address', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  expect(await searchMissed(shop, flow.reader).look()).toHaveLength(1)
  const { address } = invoice
  let headers = 0
  const sweeping = overReader(flow.reader, {
    readHeader: async (height, signal) => {
      headers += 1
      // Each comparison asks for the header before and after: the third begins the second one.
      if (headers === 3) await planSweep(address)
      return flow.reader.readHeader(height, signal)
    },
  })
  await searchMissed(shop, sweeping).look()
  expect(headers).toBe(4)
  const minor = `${invoice.amountMinor}`
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'open', minor })
  await searchMissed(shop, flow.reader).look()
  expect(await readFindings(shop.db)).toContainEqual({ address, state: 'open', minor })
  await dropSweeps()
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
})

/** Of all that the address holds of a token, and nothing else of it. */
async function planSweep(address: string): Promise<void> {
  await shop.db.query(sql`
    with planned as (
      insert into sweep (id, network, kind, assets)
      values (gen_random_uuid(), 'ethereum', 'sweep', '{ethereum/USDT}') returning id
    )
    insert into swept_address (sweep_id, address_id)
    select planned.id, address.id from planned, address where address.address = ${address}`)
}

async function dropSweeps(): Promise<void> {
  await shop.db.query(sql`update sweep set state = 'dropped', ended_at = now() where state = 'planned'`)
}

it('books once what two commands book at once', async () => {
  const search = searchMissed(shop, flow.reader)
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  expect(await search.look()).toHaveLength(1)
  const outcomes = (await Promise.all([search.recover(), search.recover()])).flat()
  expect(outcomes.map(({ type }) => type).toSorted()).toEqual(['booked', 'known'])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
})

it.each<[string, (invoice: OpenInvoice) => Promise<unknown>]>([
  ['a payment', ({ address: to, amountMinor }) => anvil.sendCoin({ to, amountMinor })],
  ['what a contract pays', payInside],
])('is kept from nobody by a node that names an address of ours as the sender: %s', async (_, pay) => {
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
  await expect(flow.followToHead({ chain: lying })).rejects.toThrow(/which 0x\S+ signed/)
  await flow.followToHead({ chain: blindReader(flow.reader) })
  await flow.mineAndFollow(4)
  expect(await searchMissed(shop, lying).reread(height)).toEqual([])
  expect(await searchMissed(shop, lying).look()).toMatchObject([{ isLocated: false, amountMinor }])
  const honest = searchMissed(shop, flow.reader)
  expect(await honest.look()).toMatchObject([{ height, isLocated: true, amountMinor }])
  expect(await searchMissed(shop, lying).recover()).toMatchObject([
    { type: 'unexplained', why: expect.stringContaining('signed') },
    { type: 'unexplained' },
  ])
  expect(await honest.recover()).toMatchObject([{ type: 'booked' }, { type: 'unexplained' }])
  expect(await standingOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await honest.look()).toEqual([])
})

it('says nothing while the nodes are on another branch than the books', async () => {
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
  await expect(searchMissed(shop, forked).look()).rejects.toThrow('could be compared')
  expect(await searchMissed(shop, flow.reader).look()).toHaveLength(1)
  await searchMissed(shop, flow.reader).recover()
})

it('reads past blocks again by sample, and finds what they hold', async () => {
  const invoice = await flow.openInvoice()
  const txHash = await flow.pay(invoice)
  const height = await mineUnseen()
  const { address, amountMinor } = invoice
  const found = await searchMissed(shop, flow.reader).reread(height)
  expect(found).toMatchObject([{ address, height, amountMinor, txHash, foundBy: 'block' }])
  expect(await searchMissed(shop, flow.reader).recover()).toMatchObject([{ type: 'booked' }])
  expect(await balanceOf(shop, invoice)).toBe('9.8')
})

it('asks a node that did not read them first, and believes what two tell', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  const height = await mineUnseen()
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (fields) => void warnings.push(fields) }
  const blind = () => blindReader(flow.reader)
  const twoBlind = overSeveral([blind(), blind(), flow.reader], silentLog)
  expect(await searchMissed(shop, twoBlind, log).reread(height)).toEqual([])
  expect(warnings).toContainEqual(expect.objectContaining({ recipient: invoice.address }))
  const oneBlind = overSeveral([flow.reader, blind(), flow.reader], silentLog)
  expect(await searchMissed(shop, oneBlind).reread(height)).toHaveLength(1)
  await searchMissed(shop, flow.reader).recover()
})

it('searches by itself, under a lease of its own, until it is stopped', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await mineUnseen()
  const stop = new AbortController()
  const told = new Promise<Record<string, unknown>>((resolve) => {
    const log: Log = { ...silentLog, error: resolve }
    const { db, methods } = shop
    const parts = { db, methods, log, chain: flow.reader, clock: systemClock, signal: stop.signal }
    onTestFinished(async () => {
      stop.abort()
      await watching
    })
    const watching = watchForMissed(parts)
  })
  expect(await told).toMatchObject({ alert: 'missed-payment', address: invoice.address })
  stop.abort()
  await searchMissed(shop, flow.reader).recover()
})

it('books what was found after its block was forgotten, by the block that the nodes have', async () => {
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
  const forget = forgetBlocks({ db: shop.db }, { blocks: 8, days: 180 })
  while ((await forget.takeAndDo(never)) > 0);
  const kept = await shop.db.query(sql`select height from block where height = any(${heights}::bigint[])`)
  expect(kept, 'the block of the finding that waits').toEqual([{ height: known }])

  expect(await search.look()).toMatchObject([{ address: late.address, height: forgotten }])
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
  expect(await standingOf(shop, late)).toEqual({ state: 'paid', exceptions: [] })
  expect(await search.look()).toEqual([])
})

it('shows how far it has come as figures', async () => {
  const search = searchMissed(shop, flow.reader)
  await search.look()
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
  expect(figure('address_turn_seconds{network="ethereum"}')).toBeGreaterThan(0)
  expect(figure('blocks_read_again{network="ethereum",outcome="read"}')).toBeGreaterThan(0)
})
