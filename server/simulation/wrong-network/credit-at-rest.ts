/** Merchants credit themselves payments on the wrong network at rest, and then withdraw the money. */
import type { Dice } from '../dice.ts'
import { areBooksOpen } from '../model/check.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import { endWork } from '../run/work.ts'
import type { Installation } from '../world/installation.ts'
import { newRecipient } from '../world/payers.ts'
import { readAvailable } from '../world/purses.ts'
import { callCredit, readPayments } from './call-credit.ts'
import { isWrong } from './wrong-network-moves.ts'

/** The share of the payments that merchants credit themselves. The others stay unattributed. */
const creditedShare = 0.7

/**
 * Lets merchants credit themselves most of the payments on the wrong network, and order nearly all that they have in the
 * same assets. The orders can be paid only if these payments are swept.
 * @returns whether there was any such payment
 */
export async function creditAtRest(world: Installation, dice: Dice): Promise<boolean> {
  const { model, assets } = world
  if (areBooksOpen(model) || model.tamperings.length > 0) return false
  const wrong = (await readPayments(world)).filter((payment) => isWrong(world, payment))
  const chosen = wrong.filter(() => dice.chance(creditedShare))
  for (const payment of chosen) {
    await callCredit(world, payment.merchantId, payment)
    await endWork(world)
  }
  const purses = new Set(chosen.map(({ merchantId, asset }) => `${merchantId} ${asset}`))
  for (const merchantId of model.merchants)
    for (const asset of assets.filter(({ name }) => purses.has(`${merchantId} ${name}`))) {
      const step = 10n ** BigInt(Math.max(0, asset.decimals - 8))
      const haveMinor = await readAvailable(world, { merchantId, asset })
      const amountMinor = ((haveMinor * 97n) / 100n / step) * step
      if (amountMinor === 0n) continue
      const wanted = { merchantId, asset, amountMinor, address: newRecipient(world, asset, dice) }
      await sendCreation(world, 'order a withdrawal', orderCreation(world, wanted))
      await endWork(world)
    }
  return chosen.length > 0
}
