/** Prepares an installation before the moves: merchants with money, and the operator's capital. */
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { generateFirstKeys, storeOwner } from '../access/prepare-access.ts'
import { Dice } from '../dice.ts'
import { hostOf } from '../event-moves.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { invoiceCreation } from '../requests/creations.ts'
import { callSetWebhook } from '../world/call-webhooks.ts'
import { attributeCapital, fundHotWallet, fundWallets, journalCapital } from '../world/capital.ts'
import type { Installation } from '../world/installation.ts'
import { assetOf, pay } from '../world/payers.ts'
import { endWork, runAlone, runJobs } from './work.ts'

/**
 * Creates merchants that already have money, before the moves begin.
 * @param indexes for each merchant, the position of its id when the merchants' ids are sorted
 */
export async function prepare(world: Installation, indexes: readonly number[] = [0, 1, 2]): Promise<void> {
  const { evmSides, utxoSide, features, methods, model, sides } = world
  for (const side of evmSides) fundWallets(side)
  const ids = indexes.map(() => newId())
  model.merchants.push(...indexes.map((index) => required(ids[index], 'an id')))
  for (const [index, id] of model.merchants.entries()) await insertMerchant(world, id, index)
  if (features.hasAccess) await storeOwner(world, ids)
  const { api, database } = world.process('api')
  await runAlone(world, async () => {
    for (const pool of api?.pools ?? []) await pool.refill()
  })
  await setFirstWebhooks(world)
  await runJobs(world, 'watcher')
  // The first round of payouts stores the addresses of the hot wallets. They can be funded only afterwards.
  await runJobs(world, 'payouts-a')
  for (const side of evmSides) await runAlone(world, () => journalCapital(database.db, side))
  if (utxoSide !== undefined) fundHotWallet(utxoSide)
  for (const merchantId of model.merchants)
    for (const asset of world.assets.filter(({ name }) => name !== 'ethereum/USDC'))
      await sendCreation(
        world,
        'open an invoice',
        invoiceCreation(world, { merchantId, asset, amountUsd: '100' }),
      )
  await endWork(world)
  await generateFirstKeys(world)
  await endWork(world)
  for (const { address, amountMinor, methodId } of model.shown)
    pay(world, assetOf(world, methodId), address, amountMinor)
  const dice = new Dice(1)
  for (const side of sides) for (let blocks = 0; blocks < 4; blocks += 1) side.mine(dice, world.now)
  await runJobs(world, 'watcher')
  if (utxoSide !== undefined) await runAlone(world, () => attributeCapital(database.db, methods))
  for (const side of sides) side.firstHeight = side.chain.head.height
}

/**
 * Stores a merchant. The second merchant's invoices are paid by confirmed payments alone. The third merchant is credited
 * at once with payments on the wrong network.
 */
async function insertMerchant(
  { sessions, model, now }: Installation,
  id: string,
  index: number,
): Promise<void> {
  const awaitsConfirmation = index === 1
  const creditsWrongNetwork = index === 2
  const values = [id, now, awaitsConfirmation ? 'confirmed' : 'included', creditsWrongNetwork]
  await sessions.look(
    `insert into merchant (id, name, created_at, paid_when, credits_wrong_network) values ($1, 'Shop', $2, $3, $4)`,
    values,
  )
  if (awaitsConfirmation) model.awaitsConfirmation.add(id)
  if (creditsWrongNetwork) model.creditsWrongNetwork.add(id)
}

/** Sets the webhook of each merchant except the last, before any event is written. */
async function setFirstWebhooks(world: Installation): Promise<void> {
  const { events, model } = world
  if (events === undefined) return
  const [last] = model.merchants.slice(-1)
  for (const merchantId of model.merchants) {
    if (merchantId === last) events.webhooks.unsteady.add(merchantId)
    else
      await callSetWebhook(world, events, {
        merchantId,
        host: hostOf(world, merchantId),
        revokesFormer: false,
      })
  }
  await endWork(world)
}
