/**
 * Moves that consist of several steps. Each needs an order that is signed, or a payment that is credited, at a certain
 * moment. Random moves rarely lead to such a moment.
 */
import type { Dice } from '../dice.ts'
import type { ModelAsset } from '../model/asset.ts'
import { merchantOf, type Play } from '../play.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import { endWork, runEverything } from '../run/work.ts'
import { hostParts, type Installation, restoredHost } from '../world/installation.ts'
import { addressesOn, assetOf, evmSideOf, newRecipient, utxoSideOf } from '../world/payers.ts'
import { findPurses, type Purse, readAvailable } from '../world/purses.ts'

export const storyPlays = {
  'spend a payment before it is final': async (world, dice) => {
    const side = utxoSideOf(world)
    const targets = addressesOn(world, side.name)
    if (targets.length === 0) return 'nobody has anything to pay in coins'
    const { merchantId, methodId, address } = dice.pick(targets)
    const asset = assetOf(world, methodId)
    const beforeMinor = await readAvailable(world, { merchantId, asset })
    const paidMinor = (beforeMinor * BigInt(dice.pick([30, 60]))) / 100n
    if (paidMinor === 0n) return 'nobody has any coins'
    side.pay([{ recipient: address, amountMinor: paidMinor }])
    side.mine(dice, world.now)
    await runEverything(world)
    const haveMinor = await readAvailable(world, { merchantId, asset })
    for (const percent of [54n, 45n])
      await order(world, dice, { merchantId, asset, amountMinor: (haveMinor * percent) / 100n })
    for (let times = 0; times < 2; times += 1) await runEverything(world)
    return `${merchantOf(world, merchantId)} orders ${haveMinor} ${asset.name} in two parts after one block`
  },
  'make a payment fail': async (world, dice) => {
    const { model } = world
    const asset = dice.pick(
      world.assets.filter(({ family, contract }) => family === 'evm' && contract === null),
    )
    const { conducts } = evmSideOf(world, asset.network).chain
    const merchantId = dice.pick(model.merchants)
    const haveMinor = await readAvailable(world, { merchantId, asset })
    const address = newRecipient(world, asset, dice)
    model.unusual.add(address)
    conducts.set(address, { gas: 60_000n })
    const step = 10n ** 10n
    const amountMinor = ((haveMinor * 40n) / 100n / step) * step
    if (amountMinor === 0n) return 'nobody has any ETH'
    await order(world, dice, { merchantId, asset, amountMinor, address })
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    conducts.set(address, { gas: 2_000_000n })
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name} to a recipient that then needs more gas`
  },
  'lose an order that was signed': async (world, dice) => {
    const { merchantId, methodId } = dice.pick(world.model.shown)
    const asset = assetOf(world, methodId)
    await world.takeSnapshot()
    const amountMinor = await sharePercent(world, { merchantId, asset }, dice.pick([30, 60, 90]))
    if (amountMinor > 0n) await order(world, dice, { merchantId, asset, amountMinor })
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    await world.restoreSnapshot(['the database'])
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name}, and the database is restored to before`
  },
  'restore the host to before a payment': async (world, dice) => {
    const purses = await findPurses(world, ({ family }) => (family === 'evm' ? 1n : undefined))
    if (purses.length === 0) return 'no merchant has any money on an EVM network'
    const purse = dice.pick(purses)
    const amountMinor = await sharePercent(world, purse, dice.pick([10, 30, 60]))
    await order(world, dice, { ...purse, amountMinor })
    await endWork(world)
    await world.takeSnapshot()
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    evmSideOf(world, purse.asset.network).mine(dice, world.now)
    await runEverything(world)
    const parts = dice.pick([restoredHost, hostParts])
    await world.restoreSnapshot(parts)
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    return `${merchantOf(world, purse.merchantId)} orders ${amountMinor} ${purse.asset.name}, and ${parts.join(' and ')} are restored to before the payment`
  },
} satisfies Readonly<Record<string, Play>>

interface StoryOrder {
  readonly merchantId: string
  readonly asset: ModelAsset
  readonly amountMinor: bigint
  readonly address?: string
}

/** Sends an order to a new recipient, or to the given one. */
async function order(world: Installation, dice: Dice, wanted: StoryOrder): Promise<void> {
  const address = wanted.address ?? newRecipient(world, wanted.asset, dice)
  await sendCreation(world, 'order a withdrawal', orderCreation(world, { ...wanted, address }))
}

/** Returns a share of a merchant's available balance, in percent. Amounts of orders have eight decimal places. */
async function sharePercent(world: Installation, purse: Purse, percent: number): Promise<bigint> {
  const haveMinor = await readAvailable(world, purse)
  const step = 10n ** BigInt(Math.max(0, purse.asset.decimals - 8))
  return ((haveMinor * BigInt(percent)) / 100n / step) * step
}
