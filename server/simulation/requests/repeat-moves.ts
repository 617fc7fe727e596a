/** The moves of seeds in which merchants send their requests under an Idempotency-Key, and repeat them. */
import type { Dice } from '../dice.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import type { Installation } from '../world/installation.ts'
import { openRequests, sendUnderKey } from './answer-under-key.ts'
import type { KeyedRequests, SentRequest } from './keyed-requests.ts'

type KeyedPlay = (
  world: Installation,
  dice: Dice,
  keyed: KeyedRequests,
  chosen: SentRequest,
) => Promise<string>

/** Makes the move with one of the requests that were sent. Seeds without keys do not plan these moves. */
function withRequest(play: KeyedPlay): Play {
  return async (world, dice) => {
    const { keyed } = world
    const chosen = keyed && choose(keyed, dice)
    if (keyed === undefined || chosen === undefined) return 'nobody has sent a request under a key'
    return play(world, dice, keyed, chosen)
  }
}

/** Chooses a request. Often it is one without an answer, or the last one, which may still be in progress. */
function choose(keyed: KeyedRequests, dice: Dice): SentRequest | undefined {
  const open = openRequests(keyed)
  const among = dice.weighted({ open: 4, last: 3, all: 3 })
  const chosen =
    among === 'open' && open.length > 0 ? open : among === 'last' ? keyed.sent.slice(-1) : keyed.sent
  return chosen.length === 0 ? undefined : dice.pick(chosen)
}

export const repeatPlays = {
  'repeat a request': withRequest(async (world, _dice, _keyed, chosen) => {
    const { creation, key } = chosen
    const called = await sendUnderKey(world, 'repeat a request', chosen)
    const state = chosen.answers.length === 0 ? ', which has no answer yet' : ''
    return `${merchantOf(world, creation.merchantId)} repeats its request ${key}${state}${fateOf(called)}`
  }),
  'reuse a key': withRequest(async (world, dice, keyed, { creation, key }) => {
    const other = keyed.add(creation.changed(dice), key)
    const called = await sendUnderKey(world, 'reuse a key', other)
    return `${merchantOf(world, creation.merchantId)} uses the key ${key} for another request${fateOf(called)}`
  }),
  'kill the API during a request': withRequest(async (world, dice, keyed, chosen) => {
    const orders = keyed.sent.filter(({ creation }) => creation.kind === 'order')
    const { creation } = orders.length === 0 ? chosen : dice.pick(orders)
    const sent = keyed.add(creation.changed(dice))
    const called = await sendUnderKey(world, 'send before the end', sent)
    const who = `${merchantOf(world, creation.merchantId)} sends the request ${sent.key}`
    if (called !== 'sent') return `${who}${fateOf(called)}`
    for (let steps = dice.between(5, 250); steps > 0 && !sent.isServed; steps -= 1)
      if (!(await world.scheduler.advance())) break
    const when = sent.isServed ? 'after it did its work and before it answers' : 'before it answers'
    await world.restartProcess('api')
    return `${who}, and the API is killed ${when}`
  }),
} satisfies Readonly<Record<string, Play>>

export const repeatWeights: Readonly<Record<keyof typeof repeatPlays, number>> = {
  'repeat a request': 8,
  'reuse a key': 1.5,
  'kill the API during a request': 4,
}
