/**
 * Moves that consist of several steps. Each needs an order that is signed, or a payment that is credited, at a certain
 * moment. Random moves rarely lead to such a moment.
 */
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { ModelAsset } from '../model/asset.ts'
import { merchantOf, type Play } from '../play.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import { runEverything } from '../run/work.ts'
import type { Installation } from '../world/installation.ts'
import { addressesOn, assetOf, newRecipient, utxoSideOf } from '../world/payers.ts'

export const storyPlays = {
  'spend a payment before it is final': async (world, dice) => {
    const side = utxoSideOf(world)
    const targets = addressesOn(world, side.name)
    if (targets.length === 0) return 'nobody has anything to pay in coins'
    const { merchantId, methodId, address } = dice.pick(targets)
    const asset = assetOf(world, methodId)
    const beforeMinor = await readAvailable(world, merchantId, asset)
    const paidMinor = (beforeMinor * BigInt(dice.pick([30, 60]))) / 100n
    if (paidMinor === 0n) return 'nobody has any coins'
    side.pay([{ recipient: address, amountMinor: paidMinor }])
    side.mine(dice, world.now)
    await runEverything(world)
    const haveMinor = await readAvailable(world, merchantId, asset)
    for (const percent of [54n, 45n])
      await order(world, dice, { merchantId, asset, amountMinor: (haveMinor * percent) / 100n })
    for (let times = 0; times < 2; times += 1) await runEverything(world)
    return `${merchantOf(world, merchantId)} orders ${haveMinor} ${asset.name} in two parts after one block`
  },
  'make a payment fail': async (world, dice) => {
    const { model, chainSide } = world
    const asset = required(
      world.assets.find(({ name }) => name === 'ethereum/ETH'),
      'ETH',
    )
    const merchantId = dice.pick(model.merchants)
    const haveMinor = await readAvailable(world, merchantId, asset)
    const address = newRecipient(world, asset, dice)
    model.unusual.add(address)
    chainSide.chain.conducts.set(address, { gas: 60_000n })
    const step = 10n ** 10n
    const amountMinor = ((haveMinor * 40n) / 100n / step) * step
    if (amountMinor === 0n) return 'nobody has any ETH'
    await order(world, dice, { merchantId, asset, amountMinor, address })
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    chainSide.chain.conducts.set(address, { gas: 2_000_000n })
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name} to a recipient that then needs more gas`
  },
  'lose an order that was signed': async (world, dice) => {
    const { merchantId, methodId } = dice.pick(world.model.shown)
    const asset = assetOf(world, methodId)
    await world.takeSnapshot()
    const haveMinor = await readAvailable(world, merchantId, asset)
    const step = 10n ** BigInt(Math.max(0, asset.decimals - 8))
    const amountMinor = ((haveMinor * BigInt(dice.pick([30, 60, 90]))) / 100n / step) * step
    if (amountMinor > 0n) await order(world, dice, { merchantId, asset, amountMinor })
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    await world.restoreSnapshot(['the database'])
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name}, and the database is restored to before`
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

/** Reads the available balance of a merchant, as the dashboard shows it. */
async function readAvailable(
  { sessions }: Installation,
  merchantId: string,
  { name }: ModelAsset,
): Promise<bigint> {
  const [row] = await sessions.look<{ minor: string }>(
    `select (credits - debits)::text as minor from ledger_account
      where name = 'available' and owner_id = $1 and asset = $2`,
    [merchantId, name],
  )
  return BigInt(row?.minor ?? 0)
}
