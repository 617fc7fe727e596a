import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { silentLog } from '../../core/log.ts'
import { FakeChain } from '../fake/fake-chain.ts'
import { openFakeReader } from '../fake/fake-reader.ts'
import { type ChainReader, NodeError } from '../port.ts'
import { openQuorumReader } from './reader.ts'

const never = new AbortController().signal

function nodes() {
  const chain = new FakeChain({ genesisAt: new Date(), blockTimeMs: 0 })
  const sender = chain.newAddress()
  const recipient = chain.newAddress()
  const move = { asset: { type: 'coin' as const }, sender, recipient, amountMinor: 5n }
  const transaction = chain.transaction([move], { spends: [chain.newOutpoint()] })
  chain.waiting.submit(transaction)
  const holding = openFakeReader(chain, { hasOutpoints: true })
  const mempool = required(holding.mempool, 'its mempool')
  const fail = async () => {
    throw new NodeError('the node fails')
  }
  const failing: ChainReader = {
    ...holding,
    mempool: { ...mempool, readWaiting: fail, readAncestors: fail },
  }
  const without: ChainReader = {
    ...holding,
    mempool: { ...mempool, readWaiting: async () => [], readAncestors: async () => undefined },
  }
  return { hash: transaction.hash, holding, failing, without }
}

it('a waiting transaction does not count as gone where no node answers', async () => {
  const { hash, failing, holding } = nodes()
  await expect(
    openQuorumReader([failing, failing], silentLog).mempool?.readWaiting([hash], never),
  ).rejects.toThrow('fails')
  const reported = await openQuorumReader([failing, holding], silentLog).mempool?.readWaiting([hash], never)
  expect(reported).toMatchObject([{ txHash: hash }])
})

it('waiting transactions come in the order in which they are asked for, whichever node has them', async () => {
  const { holding } = nodes()
  const mempool = required(holding.mempool, 'its mempool')
  const having = (...own: readonly string[]): ChainReader => ({
    ...holding,
    mempool: {
      ...mempool,
      readWaiting: async (asked) =>
        own.filter((one) => asked.includes(one)).map((txHash) => ({ txHash, transfers: [], spends: [] })),
    },
  })
  const read = (...readers: readonly ChainReader[]) =>
    openQuorumReader(readers, silentLog).mempool?.readWaiting(['cc', 'aa', 'bb', 'dd'], never)
  for (const readers of [
    [having('aa', 'bb'), having('bb', 'cc')],
    [having('bb', 'cc'), having('aa', 'bb')],
  ])
    expect((await read(...readers))?.map(({ txHash }) => txHash)).toEqual(['cc', 'aa', 'bb'])
})

it('where all nodes fail, the error is that of the first node, whichever fails first', async () => {
  const { holding } = nodes()
  const failingAfter = (turns: number, message: string): ChainReader => ({
    ...holding,
    readHead: async () => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      throw new NodeError(message)
    },
  })
  for (const turns of [0, 20])
    await expect(
      openQuorumReader([failingAfter(turns, 'first'), failingAfter(10, 'second')], silentLog).readHead(never),
    ).rejects.toThrow('first')
})

it('a transaction’s ancestors do not count as gone where a node fails that may be the only one to have them', async () => {
  const { hash, failing, holding, without } = nodes()
  await expect(
    openQuorumReader([without, failing], silentLog).mempool?.readAncestors(hash, never),
  ).rejects.toThrow('fails')
  expect(
    await openQuorumReader([failing, holding], silentLog).mempool?.readAncestors(hash, never),
  ).toHaveLength(1)
  expect(
    await openQuorumReader([without, without], silentLog).mempool?.readAncestors(hash, never),
  ).toBeUndefined()
})

it('an output is gone when two nodes report it, and it is asked for only where all nodes can answer', async () => {
  const { holding } = nodes()
  const answering = (...gone: readonly string[]): ChainReader => ({ ...holding, findGone: async () => gone })
  const find = (...readers: readonly ChainReader[]) =>
    openQuorumReader(readers, silentLog).findGone?.([], 1, never)
  expect(await find(answering('aa:0'), answering(), answering('aa:0'))).toEqual(['aa:0'])
  await expect(find(answering('aa:0'), answering())).rejects.toBeInstanceOf(NodeError)
  expect(openQuorumReader([answering(), holding], silentLog).findGone).toBeUndefined()
})

it('one node of two is believed about balances while the other is away, but not if two are needed', async () => {
  const { holding } = nodes()
  const answering = (amountMinor: bigint): ChainReader => ({
    ...holding,
    readBalances: async () => [amountMinor],
  })
  const away: ChainReader = {
    ...holding,
    readBalances: async () => {
      throw new NodeError('the node is away', { cause: 'refused' })
    },
  }
  const read = (readers: readonly ChainReader[], needsTwo: boolean) =>
    openQuorumReader(readers, silentLog).readBalances({ type: 'coin' }, ['holder'], 1, never, { needsTwo })
  for (const pair of [
    [answering(5n), away],
    [away, answering(5n)],
  ]) {
    expect(await read(pair, false)).toEqual([5n])
    await expect(read(pair, true)).rejects.toThrow('is away')
    const both = openQuorumReader(pair, silentLog)
    await both.readBalances({ type: 'coin' }, ['holder'], 1, never)
    await expect(
      both.readBalances({ type: 'coin' }, ['holder'], 1, never, { needsTwo: true }),
      'while the other node rests',
    ).rejects.toThrow('is away')
  }
  expect(await read([answering(5n), answering(5n)], true)).toEqual([5n])
  expect(await read([answering(5n)], true), 'the only node').toEqual([5n])
  expect(await read([answering(5n), away, answering(5n)], true)).toEqual([5n])
})
