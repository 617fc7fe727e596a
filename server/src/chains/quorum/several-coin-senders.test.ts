import { expect, it } from 'vitest'
import { silentLog } from '../../core/log.ts'
import { type BroadcastAnswer, NodeError } from '../port.ts'
import type { CoinSender, SpentCoin } from '../utxo/coin-port.ts'
import { sendCoinsToAll } from './several-coin-senders.ts'

const never = new AbortController().signal
const taken: BroadcastAnswer = { type: 'taken' }
const refused = (why: 'coins-gone' | 'conflict' | 'underpriced' | 'other'): BroadcastAnswer => ({
  type: 'refused',
  why,
  detail: why,
})
const away = () => Promise.reject(new NodeError('away'))
const spent: SpentCoin = { height: 7, blockHash: 'aa', txHash: 'bb' }

/** A node that is away but for what is given. */
function node(answers: Partial<CoinSender> = {}): CoinSender {
  return {
    network: 'litecoin',
    readFeeRate: away,
    testAccept: away,
    broadcast: away,
    findSpent: away,
    findWaitingSpender: away,
    readMakers: away,
    close: async () => {},
    ...answers,
  }
}

function several(...nodes: readonly Partial<CoinSender>[]): CoinSender {
  return sendCoinsToAll(
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
  const sender = several(sendingTo(0, refused('conflict')), sendingTo(1, taken), {})
  expect(await sender.broadcast('00', never)).toEqual(taken)
  expect(sent).toEqual([0, 1])
})

it('tells the gravest of the reasons of all, and that all are away only where none answered', async () => {
  const refusing = (why: Parameters<typeof refused>[0]) => ({ broadcast: async () => refused(why) })
  const sender = several(refusing('underpriced'), refusing('coins-gone'), refusing('conflict'))
  expect(await sender.broadcast('00', never)).toMatchObject({ why: 'coins-gone' })
  expect(await several({}, refusing('other')).broadcast('00', never)).toMatchObject({ why: 'other' })
  await expect(several({}, {}).broadcast('00', never)).rejects.toBeInstanceOf(NodeError)
})

it('tests with those nodes that can tell', async () => {
  const testing = (answer: BroadcastAnswer | undefined) => ({ testAccept: async () => answer })
  expect(await several(testing(undefined), testing(taken)).testAccept('00', never)).toEqual(taken)
  expect(await several(testing(undefined), testing(undefined)).testAccept('00', never)).toBeUndefined()
  expect(
    await several(testing(undefined), {}, testing(refused('other'))).testAccept('00', never),
  ).toMatchObject({
    why: 'other',
  })
  await expect(several({}, testing(undefined)).testAccept('00', never)).rejects.toBeInstanceOf(NodeError)
})

it('says that a coin is spent by the word of two, whoever is away, lags or lies', async () => {
  const telling = (answer: SpentCoin | undefined) => ({ findSpent: async () => answer })
  const find = (...nodes: readonly Partial<CoinSender>[]) =>
    several(...nodes).findSpent('cc:0', { from: 1, to: 9 }, never)
  expect(await find(telling(spent), telling(spent))).toEqual(spent)
  expect(await find(telling(spent), telling(undefined), telling(spent))).toEqual(spent)
  const lie = { ...spent, txHash: 'dd' }
  for (const nodes of [
    [telling(spent), {}],
    [telling(spent), telling(undefined)],
    [telling(spent), telling(lie), {}],
  ])
    expect(await find(...nodes)).toBeUndefined()
})

it('asks the next node where one is away', async () => {
  const rate = { rateMinor: 2n, leastMinor: 1n, source: 'estimate' } as const
  const sender = several({}, { readFeeRate: async () => rate })
  expect(await sender.readFeeRate(2, never)).toEqual(rate)
  const makers = new Map([['bb', '00']])
  const showing = several({}, { readMakers: async () => makers })
  expect(await showing.readMakers('aa', ['bb'], never)).toBe(makers)
})
