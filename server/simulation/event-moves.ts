/** The moves of seeds in which merchants have webhooks and read the feed of events. */
import type { Dice } from './dice.ts'
import { fateOf, merchantOf, type Play } from './play.ts'
import {
  callReadFeed,
  callRemoveWebhook,
  callReplay,
  callSetWebhook,
  callTestWebhook,
} from './world/call-webhooks.ts'
import type { EventSide } from './world/event-side.ts'
import type { Installation } from './world/installation.ts'
import { dispatcherNames } from './world/processes.ts'
import type { ReceiverConduct } from './world/receivers.ts'

type EventPlay = (world: Installation, dice: Dice, events: EventSide) => Promise<string>

/** Makes the move only if the merchants have webhooks. Seeds without webhooks do not plan these moves. */
function withEvents(play: EventPlay): Play {
  return (world, dice) =>
    world.events === undefined ? Promise.resolve('nobody has a webhook') : play(world, dice, world.events)
}

/**
 * Returns the host name of one of a merchant's two servers. The merchant's webhook points to one of them at a
 * time.
 */
export function hostOf(world: Installation, merchantId: string, server: 'a' | 'b' = 'a'): string {
  return `shop-${world.model.merchants.indexOf(merchantId) + 1}${server}.example`
}

const conducts: Readonly<Record<ReceiverConduct, number>> = {
  answers: 6,
  'answers slowly': 1,
  'answers after the deadline': 1,
  fails: 2,
  'is busy': 1,
  redirects: 0.3,
  'breaks off': 1,
  'is away': 2,
  'is gone': 0.3,
}

export const eventPlays = {
  'set a webhook': withEvents(async (world, dice, events) => {
    const merchantId = dice.pick(world.model.merchants)
    const host = hostOf(world, merchantId, dice.weighted({ a: 4, b: 1 }))
    const before = events.webhooks.versions.findLast((one) => one.merchantId === merchantId)
    const secret = dice.chance(0.2) ? before?.secret : undefined
    const revokesFormer = dice.chance(0.2)
    const called = await callSetWebhook(world, events, { merchantId, host, secret, revokesFormer })
    const what = secret === undefined ? 'with a new secret' : 'with the same secret'
    return `${merchantOf(world, merchantId)} sets its webhook to ${host} ${what}${fateOf(called)}`
  }),
  'remove a webhook': withEvents(async (world, dice, events) => {
    const merchantId = dice.pick(world.model.merchants)
    const called = await callRemoveWebhook(world, events, merchantId)
    return `${merchantOf(world, merchantId)} removes its webhook${fateOf(called)}`
  }),
  'change a receiver': withEvents(async (world, dice, { receivers, webhooks }) => {
    const merchantId = dice.pick(world.model.merchants)
    const host = hostOf(world, merchantId, dice.weighted({ a: 4, b: 1 }))
    const conduct = dice.weighted(conducts)
    if (conduct === 'is gone') webhooks.unsteady.add(merchantId)
    receivers.conduct(host, conduct)
    return `from now on, ${host} ${conduct}`
  }),
  'read the feed': withEvents(async (world, dice, events) => {
    const merchantId = dice.pick(world.model.merchants)
    const called = await callReadFeed(world, events, merchantId)
    return `${merchantOf(world, merchantId)} reads the feed${fateOf(called)}`
  }),
  'ask for a test event': withEvents(async (world, dice, events) => {
    const merchantId = dice.pick(world.model.merchants)
    const called = await callTestWebhook(world, events, merchantId)
    return `${merchantOf(world, merchantId)} asks for a test event${fateOf(called)}`
  }),
  'replay events': withEvents(async (world, dice) => {
    const merchantId = dice.pick(world.model.merchants)
    const after = dice.between(0, 8)
    const called = await callReplay(world, merchantId, after)
    return `${merchantOf(world, merchantId)} has all events after ${after} sent again${fateOf(called)}`
  }),
  'let a day pass': async (world) => {
    const hours = 25
    await world.pass(hours * 3_600_000)
    world.model.days += 1
    return `${hours} hours pass`
  },
  'stop a dispatcher': withEvents(async (world, dice) => {
    const name = dice.pick(dispatcherNames)
    await world.stopDispatcher(name)
    return `${name} stops in order and starts again`
  }),
} satisfies Readonly<Record<string, Play>>

export const eventWeights: Readonly<Record<keyof typeof eventPlays, number>> = {
  'set a webhook': 2,
  'remove a webhook': 0.4,
  'change a receiver': 7,
  'read the feed': 5,
  'ask for a test event': 1,
  'replay events': 0.5,
  'let a day pass': 0.7,
  'stop a dispatcher': 2,
}
