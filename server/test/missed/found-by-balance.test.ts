/**
 * Tests coin that arrives without a transfer that the nodes report: it is found by comparing balances, credited
 * once, and explained by call traces that are read later. The node is a real anvil behind a proxy that can take
 * its call traces away. After each test, the books are compared with the chain through a node with traces.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainReader, NodeError } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { takeChecked } from '../../src/outgoing/sweeps/coin-check-store.ts'
import { acquireLease, LeaseLostError, releaseLease } from '../../src/platform/db/lease.ts'
import type { BalancePassParts } from '../../src/recovery/found-by-balance/book-found.ts'
import { type FoundCoin, passOnce } from '../../src/recovery/found-by-balance/run-pass.ts'
import { openRecoveries } from '../../src/recovery/lost-history/loss-store.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { quantity, readTestContract } from '../support/anvil.ts'
import { overReader } from '../support/blind-reader.ts'
import { endInvoiceAt, headTime, type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { blockRecords, cursorRecords } from '../support/chains/records.ts'
import { startLimitedNode } from '../support/limited-node.ts'
import { forgetLosses } from '../support/lose-records.ts'
import { hotWalletRecords } from '../support/outgoing/records.ts'
import { addressRecords, depositRecords } from '../support/payments/records.ts'
import { readFindings, searchMissed } from '../support/search-missed.ts'
import { balanceOf, depositsOf, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const never = new AbortController().signal
const traceMethods = ['trace_block', 'debug_traceBlockByHash']
const coinId = 3

/** Opens a reader of a node that reports no call traces. */
async function withoutTraces(): Promise<ChainReader> {
  const node = await startLimitedNode(anvil.url, { missing: traceMethods })
  const chain = openDevChain(node.url)
  await chain.checkIdentity(never)
  onTestFinished(async () => {
    await chain.close()
    await node.close()
  })
  return chain
}

async function pass(chain: ChainReader, over: Partial<BalancePassParts> = {}): Promise<readonly FoundCoin[]> {
  const { db, methods, feeDefaults } = shop
  const lease = required(
    await acquireLease(db, { name: `pass ${newId()}`, holderId: newId(), ttlMs: limits.leaseMs }),
    'a lease',
  )
  const parts = { db, chain, methods, feeDefaults, log: silentLog, ...over }
  return passOnce(parts, lease, never).finally(() => releaseLease(db, lease))
}

/** Lets a contract send coin to an invoice's address in the next block. */
async function payInside({ address }: OpenInvoice, amountMinor: bigint): Promise<string> {
  const artifact = await readTestContract('Forwarder')
  const contract = await anvil.deploy(artifact)
  const args = [[address], [amountMinor]]
  return anvil.sendCall({ contract, artifact, name: 'pay', args, valueMinor: amountMinor })
}

/** Mines blocks that the watcher reads through `chain`, until the first of them is final. */
async function mineUntilFinal(chain: ChainReader, blocks = 4): Promise<void> {
  await anvil.mine(blocks)
  await flow.followToHead({ chain })
}

function depositRows({ address }: Pick<OpenInvoice, 'address'>) {
  return depositRecords.all(
    shop.db,
    { recipient: address },
    'transferKey',
    'amountMinor',
    'state',
    'blockHeight',
  )
}

const openForCoin = () => flow.openInvoice({ methodId: coinId })

describe('a payment by a contract on a node without traces', () => {
  it('is credited once, as found by balance, and traces that come back add nothing', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    const { amountMinor, address } = invoice
    await payInside(invoice, amountMinor)
    const paidAt = await anvil.mine()
    await flow.followToHead({ chain: plain })
    expect(await blockRecords.all(shop.db, { height: paidAt }, 'tracedBy')).toEqual([{ tracedBy: 'none' }])
    expect(await pass(plain), 'before its block is final').toEqual([])
    await mineUntilFinal(plain)
    expect(await depositsOf(shop, invoice)).toEqual([])
    expect(await searchMissed(shop, plain).find(), 'is no missed payment').toEqual([])
    expect(await pass(plain)).toMatchObject([{ address, found: [{ amountMinor }] }])
    const [row] = await depositRows(invoice)
    expect(row).toMatchObject({
      transferKey: `balance:1:${address}:${row?.blockHeight}`,
      amountMinor: `${amountMinor}`,
      state: 'confirmed',
    })
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
    const credited = await balanceOf(shop, invoice, coinId)
    expect(await pass(plain), 'at the same block').toEqual([])
    await mineUntilFinal(plain)
    expect(await pass(plain)).toEqual([])

    // Traces come back: the block is read again, and the transfer in it is explained.
    const search = searchMissed(shop, flow.reader)
    expect(await search.reread(paidAt)).toEqual([])
    expect(await search.recover()).toEqual([])
    expect(await pass(flow.reader)).toEqual([])
    expect(await search.find()).toEqual([])
    expect(await depositRows(invoice)).toHaveLength(1)
    expect(await balanceOf(shop, invoice, coinId)).toBe(credited)
  })

  it('is valued and in time by the block in which it arrived, not by that of the pass', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await anvil.mine()
    const arrived = await headTime(flow)
    await endInvoiceAt(flow, invoice, new Date(arrived.getTime() + 500))
    await anvil.rpc('evm_increaseTime', [3600])
    await mineUntilFinal(plain)
    await pass(plain)
    const [row] = await depositRecords.all(shop.db, { recipient: invoice.address }, 'inTimeAt')
    expect(row?.inTimeAt).toEqual(arrived)
    expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  })

  it('adds to what was seen: one row holds what came unseen, and plain payments keep theirs', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await anvil.sendCoin({ to: invoice.address, amountMinor: 7n })
    await payInside(invoice, 2n)
    await payInside(invoice, 3n)
    await mineUntilFinal(plain)
    expect(await pass(plain)).toMatchObject([{ found: [{ amountMinor: 5n }] }])
    await payInside(invoice, 4n)
    await mineUntilFinal(plain)
    expect(await pass(plain)).toMatchObject([{ found: [{ amountMinor: 4n }] }])
    const rows = await depositRows(invoice)
    expect(rows.map(({ amountMinor }) => amountMinor)).toEqual(['7', '5', '4'])
  })

  it('is not looked for in what an address of ours sent', async () => {
    const plain = await withoutTraces()
    const hotWallet = required(anvil.accounts[7], 'an account')
    await hotWalletRecords.add(flow.database.owner, { network: 'ethereum', index: 0, address: hotWallet })
    const invoice = await openForCoin()
    await anvil.sendCoin({ from: hotWallet, to: invoice.address, amountMinor: 9n })
    await mineUntilFinal(plain)
    expect(await pass(plain)).toEqual([])
    expect(await depositRows(invoice)).toEqual([])
  })
})

describe('coin without any transaction', () => {
  it('as a withdrawal of a validator is booked once, on a node with traces and on one without', async () => {
    const plain = await withoutTraces()
    for (const chain of [flow.reader, plain]) {
      const invoice = await openForCoin()
      const { address, amountMinor } = invoice
      await flow.mineAndFollow()
      await anvil.rpc('anvil_setBalance', [address, quantity(amountMinor)])
      await mineUntilFinal(chain)
      const search = searchMissed(shop, chain)
      await search.find()
      expect(await pass(chain)).toMatchObject([{ address, found: [{ amountMinor }] }])
      expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
      await mineUntilFinal(chain)
      await search.find()
      expect(await pass(chain)).toEqual([])
      expect(await depositRows(invoice)).toHaveLength(1)
      expect(
        (await readFindings(shop.db)).filter((one) => one.address === address && one.state !== 'gone'),
      ).toEqual([])
    }
  })

  it('as a block reward is booked once', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await anvil.rpc('anvil_setCoinbase', [invoice.address])
    const other = required(anvil.accounts[4], 'an account')
    await anvil.sendCoin({ to: other, amountMinor: 1n })
    const rewarded = await anvil.mine()
    await anvil.rpc('anvil_setCoinbase', [`0x${'00'.repeat(20)}`])
    const rewardMinor = BigInt(await anvil.rpc('eth_getBalance', [invoice.address, quantity(rewarded)]))
    expect(rewardMinor).toBeGreaterThan(0n)
    await mineUntilFinal(plain)
    expect(await pass(plain)).toMatchObject([{ found: [{ amountMinor: rewardMinor }] }])
    await mineUntilFinal(plain)
    expect(await pass(plain)).toEqual([])
    expect(await depositRows(invoice)).toHaveLength(1)
  })
})

describe('a pass', () => {
  it('books once although two run at the same time', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    const found = await Promise.all([pass(plain), pass(plain), pass(plain)])
    expect(found.flat()).toHaveLength(1)
    expect(await depositRows(invoice)).toHaveLength(1)
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  })

  it('books nothing for a process that has lost its lease, and the next one continues', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    const { db, methods, feeDefaults } = shop
    const params = { name: 'pass of one process', holderId: newId(), ttlMs: limits.leaseMs }
    const lease = required(await acquireLease(db, params), 'a lease')
    await releaseLease(db, lease)
    const parts = { db, chain: plain, methods, feeDefaults, log: silentLog }
    await expect(passOnce(parts, lease, never)).rejects.toThrow(LeaseLostError)
    expect(await depositRows(invoice)).toEqual([])
    expect(await pass(plain)).toHaveLength(1)
  })

  it('continues after it ended between the booking and its progress', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    const dying = {
      ...silentLog,
      info: () => {
        throw new Error('the process ends')
      },
    }
    await expect(pass(plain, { log: dying })).rejects.toThrow('the process ends')
    expect(await depositRows(invoice)).toHaveLength(1)
    expect(await pass(plain)).toEqual([])
    expect(await depositRows(invoice)).toHaveLength(1)
    expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  })

  it('books nothing if the nodes have another block, contradict each other, or one of two is away', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    const readHeader: ChainReader['readHeader'] = async (height, signal) => {
      const header = await plain.readHeader(height, signal)
      return header && { ...header, hash: `0x${'0f'.repeat(32)}` }
    }
    expect(await pass(overReader(plain, { readHeader }))).toEqual([])
    const readHead: ChainReader['readHead'] = async (signal) => ({
      ...(await plain.readHead(signal)),
      hasSingleNode: true,
    })
    expect(await pass(overReader(plain, { readHead }))).toEqual([])
    const readBalances = () => Promise.reject(new NodeError('no two of 2 nodes agree'))
    await expect(pass(overReader(plain, { readBalances }))).rejects.toThrow('no two')
    expect(await depositRows(invoice)).toEqual([])
    expect(await pass(plain)).toHaveLength(1)
  })

  it('books nothing while lost addresses are restored, begun before or meanwhile', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    const noteLoss = () =>
      openRecoveries(shop.db, { incarnation: 1 }, { families: ['evm'], since: new Date() })
    const losing = overReader(plain, {
      readBalances: async (...asked) => {
        await noteLoss()
        return plain.readBalances(...asked)
      },
    })
    await expect(pass(losing)).rejects.toThrow('is not complete')
    expect(await pass(plain)).toEqual([])
    expect(await depositRows(invoice)).toEqual([])
    await forgetLosses(flow.database)
    expect(await pass(plain)).toHaveLength(1)
  })

  it('keeps a payment credited once after a reorganisation of final blocks on a dev chain', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    const { amountMinor } = invoice
    const txHash = await payInside(invoice, amountMinor)
    await mineUntilFinal(plain)
    await pass(plain)
    const credited = await balanceOf(shop, invoice, coinId)
    const raw = await anvil.rpc('eth_getRawTransactionByHash', [txHash])
    await flow.rollBack(4)
    await anvil.rpc('eth_sendRawTransaction', [raw])
    await anvil.mine(6)
    await flow.followToHead()
    const states = await depositRecords.all(shop.db, { recipient: invoice.address }, 'state', 'blockHeight')
    expect(states.filter(({ state }) => state === 'confirmed')).toHaveLength(1)
    expect(await pass(flow.reader)).toEqual([])
    expect(await balanceOf(shop, invoice, coinId)).toBe(credited)
  })

  it('sends coin to quarantine if senders are screened, because nobody knows its sender', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await payInside(invoice, invoice.amountMinor)
    await mineUntilFinal(plain)
    await pass(plain, { screening: { screenAll: async () => new Map() } })
    const rows = await depositRecords.all(shop.db, { recipient: invoice.address }, 'amlVerdict', 'quarantine')
    expect(rows).toEqual([{ amlVerdict: 'unknown', quarantine: 'held' }])
    expect(await balanceOf(shop, invoice, coinId)).toBe('0')
  })

  it('answers the request of a sweep, at the final block or a later one', async () => {
    const plain = await withoutTraces()
    const invoice = await openForCoin()
    await mineUntilFinal(plain)
    await pass(plain)
    const { id } = await addressRecords.one(shop.db, { address: invoice.address }, 'id')
    const { finalHeight } = await cursorRecords.one(shop.db, {}, 'finalHeight')
    expect([...(await takeChecked(shop.db, 'ethereum', [id], finalHeight)).ids]).toEqual([])
    await pass(plain)
    expect([...(await takeChecked(shop.db, 'ethereum', [id], finalHeight)).ids]).toEqual([id])
    const later = await openForCoin()
    const { id: laterId } = await addressRecords.one(shop.db, { address: later.address }, 'id')
    await takeChecked(shop.db, 'ethereum', [laterId], finalHeight + 1_000)
    await pass(plain)
    expect([...(await takeChecked(shop.db, 'ethereum', [laterId], finalHeight)).ids]).toEqual([])
  })
})
