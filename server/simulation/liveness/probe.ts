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
import { isCausedByChange } from '../model/caused-halts.ts'
import { areBooksOpen } from '../model/check.ts'
import type { OrderState } from '../model/checked-world.ts'
import type { ShownAddress } from '../model/model.ts'
import type { ModelOrder } from '../model/order.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { invoiceCreation, orderCreation } from '../requests/creations.ts'
import { readAnswers } from '../run/answers.ts'
import { endWork, runAlone, runEverything } from '../run/work.ts'
import { attributeCapital } from '../world/capital.ts'
import { fixed } from '../world/fixed.ts'
import type { Installation } from '../world/installation.ts'
import { assetOf, newRecipient, pay } from '../world/payers.ts'
import { resumePayouts } from './resume.ts'

/** The amount of each new invoice. Orders of nine tenths of it in seven assets are together below any approval limit. */
const amountUsd = '3'

/** Money for fees that the operator sends to a hot wallet of each network, in whole thousandths of a coin. */
const feeThousandths = 100n

/** Waits until the installation is at rest. */
type Rest = () => Promise<void>

/**
 * Returns one sentence for each asset in which payouts do not go on. Processes that notice a restore of the database
 * book no blocks until lost records are recovered. The simulation does not recover them, so it does not check such
 * seeds. The operator does not lift halts that changes of an attacker caused, so new orders then rightly stay pending.
 */
export async function findHalted(world: Installation, rest: Rest): Promise<readonly string[]> {
  const { model, events } = world
  if (!areBooksOpen(model) || (model.isRestored && events !== undefined)) return []
  sendFees(world)
  const paid = await payAnew(world)
  await rest()
  await runAlone(world, () => attributeCapital(world.process('api').database.db, world.methods))
  const orders = await orderAnew(world, paid)
  let stuck: readonly ModelOrder[] = orders
  let states: ReadonlyMap<string, OrderState> = new Map()
  // A halt comes back as long as its cause lasts, so the operator lifts halts again.
  for (let tries = 0; tries < resumesMax && stuck.length > 0; tries += 1) {
    await runAlone(world, () => resumePayouts(world.process('api').database.db, world.now))
    await rest()
    states = (await readAnswers(world)).orders
    stuck = orders.filter(({ id }) => states.get(id) !== 'completed')
  }
  if (await isHaltedByAttacker(world)) stuck = stuck.filter(({ id }) => states.get(id) !== 'pending')
  const unpaid = assetsToProbe(world)
    .filter((asset) => !paid.some(({ methodId }) => methodId === asset.methodId))
    .map(({ name }) => `a new merchant got no address for ${name}`)
  if (stuck.length === 0) return unpaid
  const described = await Promise.all(stuck.map((order) => describe(world, order)))
  // The operator may have lifted halts after the last round. Another round shows those that come back.
  await runEverything(world)
  return [...unpaid, ...described, ...(await describeHalts(world))]
}

const resumesMax = 3

/** The operator sends money for fees to the hot wallets. */
function sendFees(world: Installation): void {
  for (const asset of world.assets.filter(({ contract }) => contract === null)) {
    const amountMinor = (feeThousandths * 10n ** BigInt(asset.decimals)) / 1_000n
    pay(world, asset, hotWalletOf(world, asset), amountMinor)
  }
}

function hotWalletOf({ utxoSide }: Installation, { family }: ModelAsset): string {
  const wallets = family === 'evm' ? fixed.keys.hotWallets : (utxoSide?.fixed.hotWallets ?? [])
  return wallets[0] ?? ''
}

/** Returns the assets whose books no invented payment has touched. */
function assetsToProbe({ assets, model }: Installation): readonly ModelAsset[] {
  return assets.filter(({ name }) => !model.invented.has(name))
}

/** Lets payers pay invoices of a new merchant. Returns the invoices. */
async function payAnew(world: Installation): Promise<readonly ShownAddress[]> {
  const { model, access, events } = world
  const merchantId = newId()
  const values = [merchantId, world.now]
  await world.sessions.look(`insert into merchant (id, name, created_at) values ($1, 'New', $2)`, values)
  model.merchants.push(merchantId)
  events?.webhooks.unsteady.add(merchantId)
  if (access !== undefined) {
    await storeMember(world, merchantId)
    access.usesTokensOnly = true
  }
  for (const asset of assetsToProbe(world))
    await sendCreation(world, 'open an invoice', invoiceCreation(world, { merchantId, asset, amountUsd }))
  await endWork(world)
  const own = model.shown.filter((one) => one.merchantId === merchantId)
  for (const { methodId, address, amountMinor } of own)
    pay(world, assetOf(world, methodId), address, amountMinor)
  return own
}

/** Lets the merchant order withdrawals of nine tenths of each payment. Returns the orders. */
async function orderAnew(world: Installation, paid: readonly ShownAddress[]): Promise<readonly ModelOrder[]> {
  const { model } = world
  const before = model.orders.length
  const dice = new Dice(3)
  for (const { merchantId, methodId, amountMinor: paidMinor } of paid) {
    const asset = assetOf(world, methodId)
    const address = newRecipient(world, asset, dice)
    const amountMinor = roundedDown(asset, (paidMinor * 9n) / 10n)
    const creation = orderCreation(world, { merchantId, asset, amountMinor, address })
    await sendCreation(world, 'order a withdrawal', creation)
  }
  await endWork(world)
  return model.orders.slice(before)
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

/** Returns whether payouts are halted, and only because of changes that an attacker made. */
async function isHaltedByAttacker({ checked, model, assets }: Installation): Promise<boolean> {
  const halts = await readShownHalts(checked)
  return halts.length > 0 && halts.every((halt) => isCausedByChange(model, assets, halt))
}

/** Describes the halts that the operator could not lift. */
async function describeHalts({ checked }: Installation): Promise<readonly string[]> {
  return [
    ...(await readShownHalts(checked)).map(({ cause, detail }) => `payouts are halted: ${cause} ${detail}`),
    ...(await readAssetHalts(checked)).map(({ asset, detail }) => `${asset} is halted: ${detail}`),
  ]
}
