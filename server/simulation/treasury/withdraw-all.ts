/** The operator withdraws all its coin at the end, and merchants order afterwards. */
import type { Dice } from '../dice.ts'
import { areBooksOpen } from '../model/check.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import type { Installation } from '../world/installation.ts'
import { newRecipient } from '../world/payers.ts'
import { callOrderTreasury } from './call-treasury.ts'

/** The share of seeds with treasury withdrawals in which this happens, if the books can be compared with the chain. */
const withdrawnShare = 0.6

/**
 * Lets the operator withdraw all its coin on an EVM network. A second withdrawal takes what was reserved for the fee of the
 * first. Merchants then order withdrawals. These may wait, because the operator's coin pays for gas, and the coin of
 * other merchants must not pay for it. Orders on another network must be paid, because each network has its own coin.
 * @param comeToRest waits until nothing changes any more
 */
export async function withdrawAll(
  world: Installation,
  dice: Dice,
  comeToRest: () => Promise<void>,
): Promise<void> {
  const { features, model, assets } = world
  const coins = assets.filter(({ family, contract }) => family === 'evm' && contract === null)
  const isPossible = features.hasTreasury && coins.length > 0 && !areBooksOpen(model)
  if (!isPossible || !dice.chance(withdrawnShare)) return
  const asset = dice.pick(coins)
  for (let times = 0; times < 2; times += 1) {
    await callOrderTreasury(world, { asset, source: 'capital', percent: 100n })
    await comeToRest()
  }
  model.withoutCapital = { network: asset.network, fromMs: world.time.trueMs }
  for (const merchantId of model.merchants)
    for (const coin of coins) {
      const address = newRecipient(world, coin, dice)
      const wanted = { merchantId, asset: coin, amountMinor: 10n ** 15n, address }
      await sendCreation(world, 'order a withdrawal', orderCreation(world, wanted))
    }
  await comeToRest()
}
