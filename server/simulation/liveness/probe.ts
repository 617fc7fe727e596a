/**
 * Checks that payouts go on after a restore or an invented payment, once the operator has lifted the halts. A new
 * merchant is paid in each asset and orders a withdrawal, which must complete.
 */

import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../src/outgoing/engine/controls/asset-halt-store.ts'
import { storeMember } from '../access/prepare-access.ts'
import { Dice } from '../dice.ts'
import type { ModelAsset } from '../model/asset.ts'
import { areBooksOpen } from '../model/check.ts'
import type { ModelOrder } from '../model/order.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { invoiceCreation, orderCreation } from '../requests/creations.ts'
import { readAnswers } from '../run/answers.ts'
import { endWork, runAlone } from '../run/work.ts'
import { attributeCapital } from '../world/capital.ts'
import { fixed } from '../world/fixed.ts'
import type { Installation } from '../world/installation.ts'
import { newRecipient, pay } from '../world/payers.ts'
import { resumePayouts } from './resume.ts'

/** The amount of each new invoice. Nine tenths of it are below each approval limit. */
const amountUsd = '20'

/** Money for fees that the operator sends to a hot wallet of each network, in whole thousandths of a coin. */
const feeThousandths = 100n

/** Waits until the installation is at rest. */
type Rest = () => Promise<void>

/** Returns one sentence for each asset in which payouts do not go on. */
export async function findHalted(world: Installation, rest: Rest): Promise<readonly string[]> {
  if (!areBooksOpen(world.model)) return []
  await resume(world, rest)
  const orders = await orderAnew(world, rest)
  await rest()
  const { orders: states } = await readAnswers(world)
  const stuck = orders.filter(({ id }) => states.get(id) !== 'completed')
  if (stuck.length === 0) return []
  return [...(await Promise.all(stuck.map((order) => describe(world, order)))), ...(await halts(world))]
}

/** The operator lifts the halts, and sends money for fees to the hot wallets. */
async function resume(world: Installation, rest: Rest): Promise<void> {
  const { methods } = world
  for (const asset of world.assets.filter(({ contract }) => contract === null)) {
    const amountMinor = (feeThousandths * 10n ** BigInt(asset.decimals)) / 1_000n
    pay(world, asset, hotWalletOf(world, asset), amountMinor)
  }
  await rest()
  const { db } = world.process('api').database
  await runAlone(world, async () => {
    await attributeCapital(db, methods)
    await resumePayouts(db, world.now)
  })
  await rest()
}

function hotWalletOf({ utxoSide }: Installation, { network }: ModelAsset): string {
  const wallets = network === 'ethereum' ? fixed.keys.hotWallets : (utxoSide?.fixed.hotWallets ?? [])
  return wallets[0] ?? ''
}

/** Lets a new merchant be paid in each asset whose books no invented payment has touched, and order a withdrawal. */
async function orderAnew(world: Installation, rest: Rest): Promise<readonly ModelOrder[]> {
  const { model } = world
  const merchantId = newId()
  const values = [merchantId, world.now]
  await world.sessions.look(`insert into merchant (id, name, created_at) values ($1, 'New', $2)`, values)
  model.merchants.push(merchantId)
  if (world.access !== undefined) {
    await storeMember(world, merchantId)
    world.access.usesTokensOnly = true
  }
  world.events?.webhooks.unsteady.add(merchantId)
  const assets = world.assets.filter(({ name }) => !model.invented.has(name))
  for (const asset of assets)
    await sendCreation(world, 'open an invoice', invoiceCreation(world, { merchantId, asset, amountUsd }))
  await endWork(world)
  const own = model.shown.filter((one) => one.merchantId === merchantId)
  for (const asset of assets)
    for (const { address, amountMinor } of own.filter(({ methodId }) => methodId === asset.methodId))
      pay(world, asset, address, amountMinor)
  await rest()
  const dice = new Dice(3)
  for (const asset of assets)
    for (const { amountMinor } of own.filter(({ methodId }) => methodId === asset.methodId)) {
      const address = newRecipient(world, asset, dice)
      const orderedMinor = roundedDown(asset, (amountMinor * 9n) / 10n)
      const creation = orderCreation(world, { merchantId, asset, amountMinor: orderedMinor, address })
      await sendCreation(world, 'order a withdrawal', creation)
    }
  await endWork(world)
  return model.orders.filter((one) => one.merchantId === merchantId)
}

/** Balances have eight decimal places. */
function roundedDown({ decimals }: ModelAsset, amountMinor: bigint): bigint {
  const step = 10n ** BigInt(Math.max(0, decimals - 8))
  return (amountMinor / step) * step
}

async function describe({ sessions }: Installation, { id, asset }: ModelOrder): Promise<string> {
  const [row] = await sessions.look<{ state: string; stage: string | null; waits_for: string | null }>(
    'select state, stage, waits_for from withdrawal where id = $1',
    [id],
  )
  const state = row === undefined ? 'unknown' : `${row.state} (${row.stage ?? 'ended'})`
  return `after all halts were lifted, a new order of ${asset.name} is ${state} and waits for ${row?.waits_for ?? 'nothing'}`
}

async function halts({ checked }: Installation): Promise<readonly string[]> {
  return [
    ...(await readShownHalts(checked)).map(({ cause, detail }) => `payouts are halted: ${cause} ${detail}`),
    ...(await readAssetHalts(checked)).map(({ asset, detail }) => `${asset} is halted: ${detail}`),
  ]
}
