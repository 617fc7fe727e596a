/**
 * The moves of seeds with authentication: merchants change their keys and IP lists and are deleted, and an operator
 * restores them.
 */
import type { Dice } from '../dice.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import { runEverything } from '../run/work.ts'
import type { Installation } from '../world/installation.ts'
import { assetOf, pay } from '../world/payers.ts'
import type { AccessSide } from './access-side.ts'
import { callDelete, callGenerateKey, callRestore, callRevokeKey, callSetIpList } from './call-access.ts'
import { ipLists } from './credential.ts'

type AccessPlay = (world: Installation, dice: Dice, side: AccessSide, merchantId: string) => Promise<string>

/** Makes the move with a merchant. Seeds without this feature do not plan these moves. */
function withAccess(play: AccessPlay): Play {
  return (world, dice) => {
    const { access, model } = world
    if (access === undefined) return Promise.resolve('nobody has an API key')
    return play(world, dice, access, dice.pick(model.merchants))
  }
}

export const accessPlays = {
  'replace an API key': withAccess(async (world, _dice, side, merchantId) => {
    const called = await callGenerateKey(world, side, merchantId)
    return `${merchantOf(world, merchantId)} replaces its API key${fateOf(called)}`
  }),
  'revoke an API key': withAccess(async (world, _dice, side, merchantId) => {
    const called = await callRevokeKey(world, side, merchantId)
    return `${merchantOf(world, merchantId)} revokes its API key${fateOf(called)}`
  }),
  'set an IP list': withAccess(async (world, dice, side, merchantId) => {
    const list = dice.pick(ipLists)
    const called = await callSetIpList(world, side, merchantId, list)
    const what = list.entries.length === 0 ? 'removes its IP list' : `allows only ${list.entries.join(', ')}`
    return `${merchantOf(world, merchantId)} ${what}${fateOf(called)}`
  }),
  'delete a merchant': withAccess(async (world, dice, side, merchantId) => {
    const ifEmpty = dice.chance(0.1)
    const called = await callDelete(world, side, merchantId, ifEmpty)
    return `${merchantOf(world, merchantId)} is deleted${ifEmpty ? ' if it has no money' : ''}${fateOf(called)}`
  }),
  'delete a merchant while it is paid': withAccess(async (world, dice, side) => {
    const targets = world.model.shown.filter(
      ({ merchantId }) => !side.of(merchantId).isDeleted.mayBe((is) => is),
    )
    if (targets.length === 0) return 'nobody has anything to pay'
    const { merchantId, methodId, address, amountMinor } = dice.pick(targets)
    const asset = assetOf(world, methodId)
    await runEverything(world)
    pay(world, asset, address, amountMinor)
    for (const chain of world.sides) for (let blocks = 0; blocks < 3; blocks += 1) chain.mine(dice, world.now)
    // These jobs credit the payment. Their steps alternate with the steps of the deletion.
    const watcher = world.process('watcher')
    for (const job of watcher.jobs) await world.startJob(watcher, job)
    for (let step = dice.between(0, 60); step > 0; step -= 1) await world.scheduler.advance()
    const called = await callDelete(world, side, merchantId, false)
    return `${merchantOf(world, merchantId)} is deleted soon after a payment of ${amountMinor} ${asset.name} was mined${fateOf(called)}`
  }),
  'restore a merchant': withAccess(async (world, dice, side, merchantId) => {
    const deleted = world.model.merchants.filter((id) => side.of(id).isDeleted.mayBe((is) => is))
    const chosen = deleted.length > 0 ? dice.pick(deleted) : merchantId
    const called = await callRestore(world, side, chosen)
    return `the operator restores ${merchantOf(world, chosen)}${fateOf(called)}`
  }),
} satisfies Readonly<Record<string, Play>>

export const accessWeights: Readonly<Record<keyof typeof accessPlays, number>> = {
  'replace an API key': 2.5,
  'revoke an API key': 1.5,
  'set an IP list': 4,
  'delete a merchant': 2,
  'delete a merchant while it is paid': 2,
  'restore a merchant': 4,
}
