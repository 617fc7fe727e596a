/**
 * Tests several nodes of one chain, one of which lies, fails or lags. A transfer is booked only if two nodes
 * report it alike.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { readProgress } from '../../src/chains/blocks/store.ts'
import { type BlockFacts, type BlockRef, type ChainReader, NodeError } from '../../src/chains/port.ts'
import { openQuorumReader } from '../../src/chains/quorum/reader.ts'
import { silentLog } from '../../src/core/log.ts'
import { openDevChain } from '../chains/evm-harness.ts'
import { type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { balanceOf, countDeposits, eventsOf, paidOnce } from '../support/shop-readers.ts'

const flow = useChainFlow()
const { shop, anvil } = flow
const never = new AbortController().signal

function honest(): ChainReader {
  const reader = openDevChain(anvil.url)
  onTestFinished(() => reader.close())
  return reader
}

/** Returns an honest node with some of its answers changed. */
function altered(over: (node: ChainReader) => Partial<ChainReader>): ChainReader {
  const node = honest()
  const changed = over(node)
  return new Proxy(node, {
    get: (target, name) => {
      const value = Reflect.get(changed, name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function quorum(...nodes: readonly ChainReader[]): ChainReader {
  return openQuorumReader(nodes, silentLog)
}

function transferTo({ address, amountMinor }: OpenInvoice, { hash }: BlockRef) {
  const txHash = `0x${'f1'.repeat(32)}`
  return {
    txHash,
    key: `${txHash}/log/0 ${hash}`.slice(0, 80),
    sender: `0x${'ee'.repeat(20)}`,
    amountMinor,
    asset: { type: 'token' as const, contract: flow.tokens.USDT },
    recipient: address,
  }
}

/**
 * Returns a node with blocks of its own from `from` on, ten more than the real chain has. The first of them
 * contains an invented payment.
 */
function forging(from: number, invoice: OpenInvoice): ChainReader {
  const forge = <T extends BlockRef>(block: T): T =>
    block.height < from
      ? block
      : {
          ...block,
          hash: `0x${'f0'.repeat(30)}${block.height.toString(16).padStart(4, '0')}`,
          parentHash:
            block.height === from
              ? block.parentHash
              : `0x${'f0'.repeat(30)}${(block.height - 1).toString(16).padStart(4, '0')}`,
        }
  const at = (height: number): BlockRef => forge({ height, hash: '', parentHash: '', minedAt: new Date() })
  return altered((node) => {
    const readHeader = async (height: number) => {
      const real = await node.readHeader(height, never)
      return real === undefined ? at(height) : forge(real)
    }
    return {
      readHeader,
      readHead: async () => readHeader((await node.readHead(never)).height + 10) as Promise<BlockRef>,
      readFinalHeight: async () => (await node.readHead(never)).height + 10,
      readBlock: async (height): Promise<BlockFacts | undefined> => {
        if (height < from) return node.readBlock(height, never)
        const block = (await readHeader(height)) as BlockRef
        return { block, transfers: height === from ? [transferTo(invoice, block)] : [] }
      },
      requireSuccess: async () => {},
    }
  })
}

describe('of three nodes one', () => {
  it('with other blocks and an invented payment is ignored, and blocks are still booked', async () => {
    const paid = await flow.openInvoice()
    const invented = await flow.openInvoice()
    const from = (await honest().readHead(never)).height + 1
    const chain = quorum(forging(from, invented), honest(), honest())
    await flow.pay(paid)
    await anvil.mine(3)
    await flow.followToHead({ chain, mayUndoFinal: false })
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
    expect(await eventsOf(shop, invented)).toEqual([])
  })

  it('that invents a payment in a real block is ignored', async () => {
    const invented = await flow.openInvoice()
    const lying = altered((node) => ({
      readBlock: async (height) => {
        const facts = await node.readBlock(height, never)
        return facts && { ...facts, transfers: [...facts.transfers, transferTo(invented, facts.block)] }
      },
      requireSuccess: async () => {},
    }))
    await anvil.mine(3)
    await flow.followToHead({ chain: quorum(lying, honest(), honest()) })
    expect(await eventsOf(shop, invented)).toEqual([])
  })

  it('that leaves out a payment does not stop it from being booked', async () => {
    const paid = await flow.openInvoice()
    await flow.pay(paid)
    await anvil.mine(3)
    const hiding = altered((node) => ({
      readBlock: async (height) => {
        const facts = await node.readBlock(height, never)
        return facts && { ...facts, transfers: [] }
      },
    }))
    await flow.followToHead({ chain: quorum(hiding, honest(), honest()) })
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('that lags causes no rollback and no delay', async () => {
    const paid = await flow.openInvoice()
    const stuckAt = (await honest().readHead(never)).height
    const lagging = altered((node) => ({
      readHead: async () => (await node.readHeader(stuckAt, never)) as BlockRef,
      readHeader: async (height) => (height > stuckAt ? undefined : node.readHeader(height, never)),
      readBlock: async (height) => (height > stuckAt ? undefined : node.readBlock(height, never)),
    }))
    await flow.pay(paid)
    await anvil.mine(3)
    const chain = quorum(lagging, honest(), honest())
    await flow.followToHead({ chain })
    await flow.followToHead({ chain })
    expect(await eventsOf(shop, paid)).toEqual(paidOnce)
  })

  it('that lies beside one that is stuck stops the chain, which is reported, and nothing is booked', async () => {
    const invented = await flow.openInvoice()
    const stuckAt = (await honest().readHead(never)).height
    const stuck = altered((node) => ({
      readHead: async () => (await node.readHeader(stuckAt, never)) as BlockRef,
      readHeader: async (height) => (height > stuckAt ? undefined : node.readHeader(height, never)),
      readBlock: async (height) => (height > stuckAt ? undefined : node.readBlock(height, never)),
    }))
    const before = await countDeposits(shop)
    await anvil.mine(12)
    await flow.followToHead({ chain: quorum(forging(stuckAt + 1, invented), stuck, honest()) })
    expect(await countDeposits(shop)).toBe(before)
    const [progress] = await readProgress(shop.db)
    expect(progress?.height).toBe(stuckAt)
    expect(progress?.headHeight, 'how far it lags is told').toBe(stuckAt + 12)
  })
})

describe('of two nodes', () => {
  it('none is believed while they contradict each other', async () => {
    const invented = await flow.openInvoice()
    const from = (await honest().readHead(never)).height + 1
    const forger = altered((node) => ({
      readHead: async () => ({ ...(await node.readHead(never)), hash: `0x${'f0'.repeat(32)}` }),
      readBlock: async (height) => {
        const facts = await node.readBlock(height, never)
        return facts && { ...facts, transfers: [transferTo(invented, facts.block)] }
      },
    }))
    await anvil.mine(3)
    expect(from).toBeGreaterThan(0)
    await expect(flow.followToHead({ chain: quorum(forger, honest()) })).rejects.toThrow(NodeError)
    expect(await eventsOf(shop, invented)).toEqual([])
  })

  it('one suffices while the other is unavailable, and then no block is final', async () => {
    const paid = await flow.openInvoice()
    const away = openDevChain('http://127.0.0.1:1')
    onTestFinished(() => away.close())
    const chain = quorum(away, honest())
    await flow.pay(paid)
    await anvil.mine(3)
    await flow.followToHead({ chain })
    expect(await balanceOf(shop, paid)).toBe('9.8')
    expect(await chain.readFinalHeight(never)).toBeUndefined()
    expect(await chain.readHead(never)).toMatchObject({ hasSingleNode: true })
    expect(await quorum(honest(), honest()).readFinalHeight(never)).toBeGreaterThan(0)
  })
})
