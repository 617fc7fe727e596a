/**
 * The moves that get merchants into debt. A payment is credited, its merchant withdraws at least 95 % of its balance,
 * and a reorganisation drops the payment for good. Later payments repay the debt. Orders are sent only if final
 * payments cover them, so the reorganisation drops blocks that were final. Only UTXO networks have such
 * reorganisations.
 */

import type { ModelAsset } from '../model/asset.ts'
import { keyOf } from '../model/check.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { orderCreation } from '../requests/creations.ts'
import { readAnswers } from '../run/answers.ts'
import { endWork, runJobs } from '../run/work.ts'
import type { Installation } from '../world/installation.ts'
import { addressesOn, assetOf, newRecipient, pay, utxoSideOf } from '../world/payers.ts'
import { readChecked } from '../world/read-checked.ts'
import { owedMinor } from './owed.ts'

/** The operator's capital must pay for all debts, so they are small. */
const droppedUsd = 45n
/** A block is final with its third confirmation. */
const blocks = 3

/** The books are countersigned every 5 seconds. */
const roundMs = 6_000

export const debtPlays = {
  'spend a payment that is dropped': async (world, dice) => {
    const side = utxoSideOf(world)
    const invoices = addressesOn(world, side.name)
    if (invoices.length === 0) return 'nobody has anything to pay in coins'
    const { merchantId, methodId, address, amountMinor, amountUsd } = dice.pick(invoices)
    const asset = assetOf(world, methodId)
    const paidMinor = (amountMinor * droppedUsd) / BigInt(amountUsd)
    pay(world, asset, address, paidMinor)
    for (let block = 0; block < blocks; block += 1) side.mine(dice, world.now)
    await endWork(world)
    await runJobs(world, 'watcher')
    const balanceMinor = (await readAnswers(world)).balances.get(keyOf(merchantId, asset)) ?? 0n
    const who = merchantOf(world, merchantId)
    if (balanceMinor <= 0n) return `a payer sends ${paidMinor} ${asset.name} to ${who}, which still owes`
    // The transaction of the order may spend the output of this payment. It then fails when the payment is dropped.
    const orderedMinor = (balanceMinor * dice.pick([95n, 99n, 100n])) / 100n
    const order = { merchantId, asset, amountMinor: orderedMinor, address: newRecipient(world, asset, dice) }
    const called = await sendCreation(world, 'order a withdrawal', orderCreation(world, order))
    await endWork(world)
    await sendOrders(world)
    const depth = await side.reorganise(dice, blocks, 1, world.now)
    await noteTakenBack(world, asset)
    return `${who} orders ${orderedMinor} ${asset.name}${fateOf(called)}, and ${depth} blocks are dropped with a payment of ${paidMinor} to it`
  },
  'pay a debtor': async (world, dice) => {
    const checked = await readChecked(world)
    const owing = addressesOn(world, utxoSideOf(world).name).flatMap((invoice) => {
      const owed = owedMinor(checked, new Map(), invoice.merchantId, assetOf(world, invoice.methodId))
      return owed > 0n ? [{ ...invoice, owed }] : []
    })
    if (owing.length === 0) return 'no merchant owes anything'
    const { merchantId, methodId, address, owed } = dice.pick(owing)
    const percent = dice.pick([10n, 40n, 90n, 130n])
    const paidMinor = (owed * percent) / 100n + 1n
    const asset = assetOf(world, methodId)
    pay(world, asset, address, paidMinor)
    return `a payer sends ${paidMinor} ${asset.name} to ${merchantOf(world, merchantId)}, which owes ${owed}`
  },
} satisfies Readonly<Record<string, Play>>

/** Relative frequencies of these moves in a run in which merchants get into debt. */
export const debtWeights: Readonly<Record<keyof typeof debtPlays, number>> = {
  'spend a payment that is dropped': 5,
  'pay a debtor': 14,
}

/** Lets the payouts send the orders. They wait until the journals of the orders are sealed and countersigned. */
async function sendOrders(world: Installation): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    for (const name of ['watcher', 'payouts-a', 'payouts-b'] as const) await runJobs(world, name)
    await world.pass(roundMs)
  }
}

/** Notes which orders may fail, because a payer may have taken back the money that their transactions spend. */
async function noteTakenBack(world: Installation, asset: ModelAsset): Promise<void> {
  const { model, transfers } = await readChecked(world)
  const paid = new Set(transfers.map(({ recipient }) => recipient))
  for (const order of model.orders)
    if (order.asset === asset && !paid.has(order.address)) model.takenBack.add(order)
}
