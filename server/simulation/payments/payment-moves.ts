/** The moves of payers whose payments are small, fail or come at the last moment. */
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { Features } from '../features.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { ShownAddress } from '../model/model.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { invoiceCreation } from '../requests/creations.ts'
import type { EvmSide } from '../world/evm-side.ts'
import { transferred } from '../world/fixed.ts'
import type { Installation } from '../world/installation.ts'
import { addressesOn, assetOf, pay } from '../world/payers.ts'
import { readChecked } from '../world/read-checked.ts'

const minuteMs = 60_000
/** Invoices can be paid for an hour. */
const lifetimeMs = 60 * minuteMs
/** Payments below the minimum have all their confirmations after two blocks, on each network. */
const blocks = 2

export const paymentPlays = {
  /**
   * Pays the same invoice each time, until its payments reach twice the minimum. The first payments together stay below
   * the minimum, and later ones arrive after the first ones were credited.
   */
  'pay below the minimum': async (world, dice) => {
    const { transfers } = await readChecked(world)
    const target = world.model.shown.find(({ address, methodId }) => {
      const paid = transfers.filter(({ recipient }) => recipient === address)
      const paidMinor = paid.reduce((total, { amountMinor }) => total + amountMinor, 0n)
      return paidMinor < 2n * assetOf(world, methodId).minimumMinor
    })
    if (target === undefined) return 'every invoice is paid'
    const asset = assetOf(world, target.methodId)
    const amountMinor = (asset.minimumMinor * BigInt(dice.pick([30, 60, 90]))) / 100n
    pay(world, asset, target.address, amountMinor)
    const side = sideOf(world, asset)
    for (let block = 0; block < blocks; block += 1) side.mine(dice, world.now)
    await finishJob(world, `watch ${asset.network}`)
    return `a payer sends ${amountMinor} ${asset.name} to ${target.address.slice(0, 10)}, which is below the minimum`
  },
  /** A failed transaction moves nothing. The receipts of the nodes say so, even if their blocks list its transfers. */
  'list a failed payment': async (world, dice) => {
    const side = dice.pick(world.evmSides)
    const shown = addressesOn(world, side.name)
    const isListed = shown.length > 0 && dice.chance(0.6)
    listFailed(world, side, isListed)
    if (!isListed) return `the nodes of ${side.name} list no transfers of failed transactions`
    const { address: recipient, amountMinor, methodId } = dice.pick(shown)
    const { contract, name } = assetOf(world, methodId)
    side.pay({ asset: transferred(contract), recipient, amountMinor }, { failed: true })
    return `the nodes of ${side.name} list the transfers of failed transactions, such as ${amountMinor} ${name} to ${recipient.slice(0, 10)}`
  },
  'pay at the last moment': async (world, dice) => {
    const invoice = await findOpen(world)
    if (invoice === undefined) return createInvoice(world, dice)
    const { merchantId, methodId, address, amountMinor, requestedMs } = invoice
    const asset = assetOf(world, methodId)
    const side = sideOf(world, asset)
    // The price of a coin may have fallen since it was quoted.
    const paidMinor = amountMinor * (world.features.hasPrices ? 2n : 1n)
    await world.pass(Math.max(0, requestedMs + lifetimeMs - minuteMs - world.time.trueMs))
    pay(world, asset, address, paidMinor)
    const isMined = dice.chance(0.8)
    if (isMined) side.mine(dice, world.now)
    await world.pass(dice.pick([2, 5]) * minuteMs)
    // The watcher looks for invoices that have ended before it learns of the last blocks.
    await finishJob(world, 'expire invoices')
    const what = `${paidMinor} ${asset.name} to ${merchantOf(world, merchantId)}`
    return `a payer sends ${what} a minute before the end${isMined ? ', and a block contains it' : ''}`
  },
} satisfies Readonly<Record<string, Play>>

/** Returns the relative frequencies of these moves. Each belongs to one feature. */
export function paymentWeightsOf({
  hasSmallPayments,
  hasListedFailures,
  hasLastMoments,
}: Features): Readonly<Record<keyof typeof paymentPlays, number>> {
  return {
    'pay below the minimum': hasSmallPayments ? 12 : 0,
    'list a failed payment': hasListedFailures ? 5 : 0,
    'pay at the last moment': hasLastMoments ? 5 : 0,
  }
}

/** Lets all nodes of a network list the transfers of failed transactions in their blocks, or lets none do so. */
function listFailed(world: Installation, side: EvmSide, isListed: boolean): void {
  const nodes = world.nodesOf(side)
  for (const { lies } of nodes.length === 0 ? [side] : nodes) lies.listsFailed = isListed
}

/** Creates the invoice that a later move pays. */
async function createInvoice(world: Installation, dice: Dice): Promise<string> {
  const merchantId = dice.pick(world.model.merchants)
  const asset = dice.pick(world.assets)
  const creation = invoiceCreation(world, { merchantId, asset, amountUsd: String(dice.between(2, 90)) })
  const called = await sendCreation(world, 'create an invoice', creation)
  return `${merchantOf(world, merchantId)} creates an invoice in ${asset.name}${fateOf(called)}`
}

/** Runs a job of the watcher once, unless the watcher is paused. Other work goes on meanwhile. */
async function finishJob(world: Installation, wanted: string): Promise<void> {
  const watcher = world.process('watcher')
  for (const job of watcher.jobs.filter(({ name }) => name === wanted)) {
    await world.startJob(watcher, job)
    while (world.scheduler.isUnderWay(watcher.life, job.name) && (await world.scheduler.advance()));
  }
}

function sideOf(world: Installation, { network }: ModelAsset) {
  return required(
    world.sides.find(({ name }) => name === network),
    'the network of an asset',
  )
}

/** Returns the first invoice that has more than a minute left and no payment in a block. */
async function findOpen(world: Installation): Promise<ShownAddress | undefined> {
  const { transfers } = await readChecked(world)
  const paid = new Set(transfers.map(({ recipient }) => recipient))
  return world.model.shown.find(
    ({ address, requestedMs }) =>
      !paid.has(address) && requestedMs + lifetimeMs - minuteMs > world.time.trueMs,
  )
}
