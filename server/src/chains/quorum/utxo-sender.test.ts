import { expect, it } from 'vitest'
import { silentLog } from '../../core/log.ts'
import { type BroadcastAnswer, NodeError } from '../port.ts'
import type { SpentOutput, UtxoSender } from '../utxo/utxo-port.ts'
import { openQuorumUtxoSender } from './utxo-sender.ts'

const never = new AbortController().signal
const taken: BroadcastAnswer = { type: 'taken' }
const refused = (why: 'missing-inputs' | 'conflict' | 'underpriced' | 'other'): BroadcastAnswer => ({
  type: 'refused',
  why,
  detail: why,
})
const away = () => Promise.reject(new NodeError('away'))
const spent: SpentOutput = { height: 7, blockHash: 'aa', txHash: 'bb' }

/** Returns a node that is unreachable except for the given answers. */
function node(answers: Partial<UtxoSender> = {}): UtxoSender {
  return {
    network: 'litecoin',
    readFeeRate: away,
    testAccept: away,
    broadcast: away,
    findSpent: away,
    findWaitingSpender: away,
    readPreviousTransactions: away,
    close: async () => {},
    ...answers,
  }
}

function quorum(...nodes: readonly Partial<UtxoSender>[]): UtxoSender {
  return openQuorumUtxoSender(
    nodes.map((answers) => node(answers)),
    silentLog,
  )
}

it('sends to every node, and takes the word of the one that took it', async () => {
  const sent: number[] = []
  const sendingTo = (at: number, answer: BroadcastAnswer) => ({
    broadcast: async () => {
      sent.push(at)
      return answer
    },
  })
  const sender = quorum(sendingTo(0, refused('conflict')), sendingTo(1, taken), {})
  expect(await sender.broadcast('00', never)).toEqual(taken)
  expect(sent).toEqual([0, 1])
})

it('reports the gravest of the reasons of all, and that all are away only where none answered', async () => {
  const refusing = (why: Parameters<typeof refused>[0]) => ({ broadcast: async () => refused(why) })
  const sender = quorum(refusing('underpriced'), refusing('missing-inputs'), refusing('conflict'))
  expect(await sender.broadcast('00', never)).toMatchObject({ why: 'missing-inputs' })
  expect(await quorum({}, refusing('other')).broadcast('00', never)).toMatchObject({ why: 'other' })
  await expect(quorum({}, {}).broadcast('00', never)).rejects.toBeInstanceOf(NodeError)
})

it('tests with those nodes that can tell', async () => {
  const testing = (answer: BroadcastAnswer | undefined) => ({ testAccept: async () => answer })
  expect(await quorum(testing(undefined), testing(taken)).testAccept('00', never)).toEqual(taken)
  expect(await quorum(testing(undefined), testing(undefined)).testAccept('00', never)).toBeUndefined()
  expect(
    await quorum(testing(undefined), {}, testing(refused('other'))).testAccept('00', never),
  ).toMatchObject({
    why: 'other',
  })
  await expect(quorum({}, testing(undefined)).testAccept('00', never)).rejects.toBeInstanceOf(NodeError)
})

it('says that a coin is spent by the word of two, whoever is away, lags or lies', async () => {
  const answering = (answer: SpentOutput | undefined) => ({ findSpent: async () => answer })
  const find = (...nodes: readonly Partial<UtxoSender>[]) =>
    quorum(...nodes).findSpent('cc:0', { from: 1, to: 9 }, never)
  expect(await find(answering(spent), answering(spent))).toEqual(spent)
  expect(await find(answering(spent), answering(undefined), answering(spent))).toEqual(spent)
  const lie = { ...spent, txHash: 'dd' }
  for (const nodes of [
    [answering(spent), {}],
    [answering(spent), answering(undefined)],
    [answering(spent), answering(lie), {}],
  ])
    expect(await find(...nodes)).toBeUndefined()
})

it('asks the next node where one is away', async () => {
  const rate = { rateMinor: 2n, leastMinor: 1n, source: 'estimate' } as const
  const sender = quorum({}, { readFeeRate: async () => rate })
  expect(await sender.readFeeRate(2, never)).toEqual(rate)
  const previousTransactions = new Map([['bb', '00']])
  const showing = quorum({}, { readPreviousTransactions: async () => previousTransactions })
  expect(await showing.readPreviousTransactions('aa', ['bb'], never)).toBe(previousTransactions)
})
