/**
 * What every chain adapter promises, the fake included: each adapter's test file calls `conformance` with its own
 * world. Runs under Vitest only.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../core/assert.ts'
import { sum } from '../core/money.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  NodeError,
  type Transfer,
  type TransferAsset,
} from './port.ts'

/** A chain that does as it is told, and a reader of it. */
export interface ChainWorld {
  readonly reader: ChainReader
  /** Reads the same chain through a node that leaves out what moved. */
  readonly blindReader: ChainReader
  /** A token that behaves, and one with the same name and symbol; canonical spelling. */
  readonly token: string
  readonly lookAlike: string
  /** A token whose transfer answers false, moves nothing and tells nobody. */
  readonly silentToken: string
  /** An address nobody has used, in canonical spelling. */
  newAddress(): string
  /** Signs a transaction without sending it: it can be mined, dropped and mined again. */
  prepare(act: Act): Promise<PreparedTransaction>
  /** Adds a block of exactly these, in this order; returns its height. */
  mine(transactions?: readonly PreparedTransaction[]): Promise<number>
  /** Drops the last `depth` blocks: the height falls. */
  rollback(depth: number): Promise<void>
  close(): Promise<void>
}

export interface PreparedTransaction {
  readonly txHash: string
}

export interface Payment {
  readonly to: string
  readonly amountMinor: bigint
}

export type Act =
  | ({ readonly type: 'coin' } & Payment)
  | ({ readonly type: 'token'; readonly contract: string } & Payment)
  /** One transaction that moves a token several times. */
  | { readonly type: 'tokens'; readonly contract: string; readonly payments: readonly Payment[] }
  /** A token transfer of more than the sender has: the transaction is mined and fails. */
  | ({ readonly type: 'failing-token'; readonly contract: string } & Payment)
  /** The coin, sent with a call that fails: the transaction is mined and the coin stays. */
  | ({ readonly type: 'failing-coin' } & Payment)
  /** The coin, moved by a contract. */
  | { readonly type: 'inner'; readonly payments: readonly Payment[] }
  /** The coin, moved by a contract in a call that is undone while the transaction succeeds. */
  | ({ readonly type: 'undone-inner' } & Payment)
  /** The coin, moved while a contract is made, and when one ends. */
  | ({ readonly type: 'constructor' } & Payment)
  | ({ readonly type: 'selfdestruct' } & Payment)

const never = new AbortController().signal
const coin: TransferAsset = { type: 'coin' }

/** Runs the promises against a world that is made once and shared: each test uses its own addresses and blocks. */
export function conformance(name: string, makeWorld: () => Promise<ChainWorld>): void {
  describe(`${name} keeps the promises of the chain port`, () => {
    let made: ChainWorld | undefined
    beforeAll(async () => {
      made = await makeWorld()
    })
    afterAll(() => made?.close())
    const world = () => required(made, 'the world')

    describe('what moved', () => promisesOfTransfers(world))
    describe('what contracts move', () => promisesOfInternalTransfers(world))
    describe('what did not move', () => promisesOfNothing(world))
    describe('blocks', () => promisesOfBlocks(world))
    describe('rollbacks', () => promisesOfRollbacks(world))
    describe('second looks', () => promisesOfSecondLooks(world))
  })
}

type World = () => ChainWorld

function promisesOfTransfers(world: World): void {
  it('tells coin and token transfers with sender, recipient and amount', async () => {
    const to = world().newAddress()
    const [first, second] = await mineActs(world(), [
      { type: 'coin', to, amountMinor: 1n },
      { type: 'token', contract: world().token, to, amountMinor: 2n },
    ])
    const token = { type: 'token', contract: world().token }
    expect(await paidTo(world(), to)).toMatchObject([
      { txHash: first?.txHash, asset: coin, recipient: to, amountMinor: 1n },
      { txHash: second?.txHash, asset: token, recipient: to, amountMinor: 2n },
    ])
  })

  it('tells amounts above 2^53 to the last digit', async () => {
    const to = world().newAddress()
    const amountMinor = 2n ** 60n + 1n
    await mineActs(world(), [
      { type: 'coin', to, amountMinor },
      { type: 'token', contract: world().token, to, amountMinor },
    ])
    expect((await paidTo(world(), to)).map((transfer) => transfer.amountMinor)).toEqual([
      amountMinor,
      amountMinor,
    ])
  })

  it('gives each transfer of one transaction a key of its own', async () => {
    const to = world().newAddress()
    const payments = [1n, 2n, 2n].map((amountMinor) => ({ to, amountMinor }))
    await mineActs(world(), [{ type: 'tokens', contract: world().token, payments }])
    const transfers = await paidTo(world(), to)
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual([1n, 2n, 2n])
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(3)
  })

  it('tells a token with a famous name under its own contract', async () => {
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'token', contract: world().lookAlike, to, amountMinor: 1_000_000n }])
    const contracts = (await paidTo(world(), to)).map(({ asset }) => asset)
    expect(contracts).toEqual([{ type: 'token', contract: world().lookAlike }])
  })
}

function promisesOfInternalTransfers(world: World): void {
  it.for(['constructor', 'selfdestruct'] as const)('tells a coin moved by a %s', async (type, { skip }) => {
    if (!world().reader.traits.seesInternalTransfers)
      skip('its traits say that it sees no internal transfers')
    const to = world().newAddress()
    await mineActs(world(), [{ type, to, amountMinor: 7n }])
    expect(await paidTo(world(), to)).toMatchObject([{ asset: coin, amountMinor: 7n }])
  })

  it('tells coins moved by inner calls where its traits say so, and none where they say not', async () => {
    const [to, other] = [world().newAddress(), world().newAddress()]
    const payments = [to, other, to].map((recipient, index) => ({
      to: recipient,
      amountMinor: BigInt(index + 1),
    }))
    await mineActs(world(), [{ type: 'inner', payments }])
    const transfers = await paidTo(world(), to)
    const expected = world().reader.traits.seesInternalTransfers ? [1n, 3n] : []
    expect(transfers.map((transfer) => transfer.amountMinor)).toEqual(expected)
    expect(new Set(transfers.map((transfer) => transfer.key)).size).toBe(expected.length)
  })
}

function promisesOfNothing(world: World): void {
  it('tells nothing of a failed transaction', async () => {
    const to = world().newAddress()
    await mineActs(world(), [
      { type: 'failing-token', contract: world().token, to, amountMinor: 5n },
      { type: 'failing-coin', to, amountMinor: 5n },
    ])
    const { transfers } = await readBlock(world(), await headHeight(world()))
    expect(transfers).toEqual([])
  })

  it('tells nothing of an inner call that was undone in a transaction that succeeded', async () => {
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'undone-inner', to, amountMinor: 5n }])
    expect(await paidTo(world(), to)).toEqual([])
  })

  it('tells nothing of transfers of zero', async () => {
    const to = world().newAddress()
    await mineActs(world(), [
      { type: 'coin', to, amountMinor: 0n },
      { type: 'token', contract: world().token, to, amountMinor: 0n },
    ])
    expect(await paidTo(world(), to)).toEqual([])
  })

  it('tells nothing of a token that answers false instead of moving', async () => {
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'token', contract: world().silentToken, to, amountMinor: 5n }])
    expect(await paidTo(world(), to)).toEqual([])
  })
}

function promisesOfBlocks(world: World): void {
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
    await mineActs(world(), [{ type: 'token', contract: world().token, to, amountMinor: 1n }])
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

function promisesOfRollbacks(world: World): void {
  it('keeps the keys of a transaction that is mined again at another place among other logs', async () => {
    const to = world().newAddress()
    const contract = world().token
    const payments = [1n, 2n].map((amountMinor) => ({ to, amountMinor }))
    const payment = await world().prepare({ type: 'tokens', contract, payments })
    const other = await world().prepare({
      type: 'token',
      contract,
      to: world().newAddress(),
      amountMinor: 9n,
    })
    const before = await readBlock(world(), await world().mine([payment]))
    await world().rollback(1)
    const after = await readBlock(world(), await world().mine([other, payment]))
    expect(after.block.hash).not.toBe(before.block.hash)
    expect(after.transfers).toHaveLength(3)
    expect(keysPaidTo(to, after)).toEqual(keysPaidTo(to, before))
  })

  it('tells the new branch after a rollback, and nothing that was only in the old one', async () => {
    const to = world().newAddress()
    const [kept, dropped] = await Promise.all([
      world().prepare({ type: 'coin', to, amountMinor: 1n }),
      world().prepare({ type: 'coin', to, amountMinor: 2n }),
    ])
    await world().mine([dropped])
    await world().mine([kept])
    const old = await headHeight(world())
    await world().rollback(2)
    await world().mine([kept])
    await world().mine()
    expect(await headHeight(world())).toBe(old)
    const [lower, upper] = [await readBlock(world(), old - 1), await readBlock(world(), old)]
    expect([...lower.transfers, ...upper.transfers].map(({ amountMinor }) => amountMinor)).toEqual([1n])
    expect(upper.block.parentHash).toBe(lower.block.hash)
  })

  it('has a lower head after a rollback', async () => {
    const height = await world().mine()
    await world().rollback(1)
    expect(await headHeight(world())).toBe(height - 1)
    expect(await world().reader.readBlock(height, never)).toBeUndefined()
  })
}

function promisesOfSecondLooks(world: World): void {
  it('has balances equal to the sum of the transfers', async () => {
    const to = world().newAddress()
    const first = await headHeight(world())
    await mineActs(world(), [
      { type: 'coin', to, amountMinor: 5n },
      { type: 'token', contract: world().token, to, amountMinor: 2n ** 60n + 1n },
    ])
    await mineActs(world(), [{ type: 'coin', to, amountMinor: 6n }])
    const height = await headHeight(world())
    const blocks = await Promise.all([first + 1, first + 2].map((at) => readBlock(world(), at)))
    for (const asset of [coin, { type: 'token', contract: world().token } as const]) {
      const told = blocks
        .flatMap((block) => block.transfers)
        .filter((one) => one.recipient === to && one.asset.type === asset.type)
      const balances = await world().reader.readBalances(asset, [to, world().newAddress()], height, never)
      expect(balances).toEqual([sum(told.map(({ amountMinor }) => amountMinor)), 0n])
    }
  })

  it('reads balances as they were at the height asked for', async () => {
    const to = world().newAddress()
    await mineActs(world(), [{ type: 'coin', to, amountMinor: 5n }])
    const height = await headHeight(world())
    await mineActs(world(), [{ type: 'coin', to, amountMinor: 6n }])
    expect(await world().reader.readBalances(coin, [to], height, never)).toEqual([5n])
  })

  it('tells where a transaction stands: unknown, failed in its block, or mined with what it moved', async () => {
    const [to, contract] = [world().newAddress(), world().lookAlike]
    const good = await world().prepare({ type: 'token', contract, to, amountMinor: 3n })
    const bad = await world().prepare({ type: 'failing-token', contract: world().token, to, amountMinor: 1n })
    const read = ({ txHash }: PreparedTransaction) => world().reader.readTransaction(txHash, never)
    expect(await read({ txHash: `0x${'cd'.repeat(32)}` })).toEqual({ type: 'unknown' })
    const height = await world().mine([good, bad])
    const { block, transfers } = await readBlock(world(), height)
    expect(await read(bad)).toEqual({ type: 'failed', height })
    const made = transfers.filter(({ txHash }) => txHash === good.txHash)
    expect(made).toMatchObject([{ asset: { type: 'token', contract }, recipient: to, amountMinor: 3n }])
    expect(await read(good)).toEqual({ type: 'mined', block, transfers: made })
    await world().rollback(1)
    expect(await read(good)).not.toMatchObject({ type: 'mined' })
  })

  it('vouches for transactions whose receipts in that very block say success, and for no others', async () => {
    const [to, contract] = [world().newAddress(), world().token]
    const good = await world().prepare({ type: 'coin', to, amountMinor: 1n })
    const other = await world().prepare({ type: 'coin', to, amountMinor: 2n })
    const bad = await world().prepare({ type: 'failing-token', contract, to, amountMinor: 1n })
    const { block } = await readBlock(world(), await world().mine([good, other, bad]))
    const vouch = (at: BlockRef, ...transactions: readonly PreparedTransaction[]) =>
      world().reader.requireSuccess(
        at,
        transactions.map(({ txHash }) => txHash),
        never,
      )
    await vouch(block)
    await vouch(block, good, other)
    await expect(vouch(block, bad)).rejects.toThrow(NodeError)
    await expect(vouch(block, good, bad)).rejects.toThrow(NodeError)
    await expect(vouch({ ...block, hash: block.parentHash }, good)).rejects.toThrow(NodeError)
    await expect(vouch(block, good, { txHash: `0x${'ab'.repeat(32)}` })).rejects.toThrow(NodeError)
  })
}

/** Mines one block of these acts and returns its transactions. */
async function mineActs(world: ChainWorld, acts: readonly Act[]): Promise<readonly PreparedTransaction[]> {
  const transactions = await Promise.all(acts.map((act) => world.prepare(act)))
  await world.mine(transactions)
  return transactions
}

async function headHeight(world: ChainWorld): Promise<number> {
  return (await world.reader.readHead(never)).height
}

async function readBlock(world: ChainWorld, height: number): Promise<BlockFacts> {
  return required(await world.reader.readBlock(height, never), `block ${height}`)
}

/** What the newest block moved to `recipient`. */
async function paidTo(world: ChainWorld, recipient: string): Promise<readonly Transfer[]> {
  const { transfers } = await readBlock(world, await headHeight(world))
  return transfers.filter((transfer) => transfer.recipient === recipient)
}

function keysPaidTo(recipient: string, { transfers }: BlockFacts): readonly string[] {
  return transfers.filter((transfer) => transfer.recipient === recipient).map(({ key }) => key)
}
