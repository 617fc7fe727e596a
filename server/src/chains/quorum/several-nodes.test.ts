import { expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { silentLog } from '../../core/log.ts'
import { FakeChain } from '../fake/fake-chain.ts'
import { openFakeReader } from '../fake/fake-reader.ts'
import { type ChainReader, NodeError } from '../port.ts'
import { overSeveral } from './several-nodes.ts'

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
    mempool: { ...mempool, readWaiting: fail, readLineage: fail },
  }
  const without: ChainReader = {
    ...holding,
    mempool: { ...mempool, readWaiting: async () => [], readLineage: async () => undefined },
  }
  return { hash: transaction.hash, holding, failing, without }
}

it('what waits is not taken as gone where no node answers', async () => {
  const { hash, failing, holding } = nodes()
  await expect(
    overSeveral([failing, failing], silentLog).mempool?.readWaiting([hash], never),
  ).rejects.toThrow('fails')
  const told = await overSeveral([failing, holding], silentLog).mempool?.readWaiting([hash], never)
  expect(told).toMatchObject([{ txHash: hash }])
})

it('a lineage is not taken as gone where the node fails that may alone hold it', async () => {
  const { hash, failing, holding, without } = nodes()
  await expect(overSeveral([without, failing], silentLog).mempool?.readLineage(hash, never)).rejects.toThrow(
    'fails',
  )
  expect(await overSeveral([failing, holding], silentLog).mempool?.readLineage(hash, never)).toHaveLength(1)
  expect(await overSeveral([without, without], silentLog).mempool?.readLineage(hash, never)).toBeUndefined()
})

it('a coin is gone by the word of two, and each is asked for only where all can tell', async () => {
  const { holding } = nodes()
  const telling = (...gone: readonly string[]): ChainReader => ({ ...holding, findGone: async () => gone })
  const find = (...readers: readonly ChainReader[]) =>
    overSeveral(readers, silentLog).findGone?.([], 1, never)
  expect(await find(telling('aa:0'), telling(), telling('aa:0'))).toEqual(['aa:0'])
  await expect(find(telling('aa:0'), telling())).rejects.toBeInstanceOf(NodeError)
  expect(overSeveral([telling(), holding], silentLog).findGone).toBeUndefined()
})
