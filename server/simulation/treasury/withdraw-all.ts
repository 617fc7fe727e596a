/** The operator withdraws all its coin at the end, and merchants order afterwards. */
import type { Dice } from '../dice.ts'
import { areBooksOpen } from '../model/check.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import type { Installation } from '../world/installation.ts'
import { newRecipient } from '../world/payers.ts'
import { callOrderTreasury } from './call-treasury.ts'

/** The network fees are paid with the operator's coin, so without any, orders wait. */
const withdrawnShare = 0.6

/**
 * Lets the operator withdraw all its coin on Ethereum twice, the second time what was reserved for the first.
 * Merchants then order, and their orders may wait. Their gas must not be paid with the coin of other merchants.
 * @param comeToRest waits until nothing changes any more
 */
export async function withdrawAll(
  world: Installation,
  dice: Dice,
  comeToRest: () => Promise<void>,
): Promise<void> {
  const { features, model, assets } = world
  const asset = assets.find(({ name }) => name === 'ethereum/ETH')
  const isPossible = features.hasTreasury && asset !== undefined && !areBooksOpen(model)
  if (!isPossible || !dice.chance(withdrawnShare)) return
  for (let times = 0; times < 2; times += 1) {
    await callOrderTreasury(world, { asset, source: 'capital', percent: 100n })
    await comeToRest()
  }
  model.withoutCapitalFromMs = world.time.trueMs
  for (const merchantId of model.merchants) {
    const wanted = { merchantId, asset, amountMinor: 10n ** 15n, address: newRecipient(world, asset, dice) }
    await sendCreation(world, 'order a withdrawal', orderCreation(world, wanted))
  }
  await comeToRest()
}
