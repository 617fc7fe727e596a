/**
 * The moves of a market whose prices change. Only the prices of coins change, because a quote in a stablecoin does not
 * expire before its invoice.
 */
import { invoiceLifetimeMs } from '../model/model.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import { sendCreation } from '../requests/answer-under-key.ts'
import { invoiceCreation } from '../requests/creations.ts'
import type { Installation } from '../world/installation.ts'
import { assetOf, chooseAmount, pay } from '../world/payers.ts'
import { callAskAgain } from './ask-again.ts'
import { symbolOf } from './valuation.ts'

/** Percentages of the first price. They differ by less than a factor of 3, above which the service rejects a price. */
const percents = [60n, 80n, 100n, 125n, 160n] as const
const minuteMs = 60_000
/** A quote in a coin is valid for 20 minutes, so it has expired afterwards. */
const beyondQuoteMinutes = 21

export const pricePlays = {
  'create an invoice in a coin': async (world, dice) => {
    const merchantId = dice.pick(world.model.merchants)
    const asset = dice.pick(coinsOf(world))
    const amountUsd = String(dice.between(10, 400))
    const creation = invoiceCreation(world, { merchantId, asset, amountUsd })
    const called = await sendCreation(world, 'create an invoice', creation)
    return `${merchantOf(world, merchantId)} creates an invoice in ${asset.name}${fateOf(called)}`
  },
  'change a price': async (world, dice) => {
    const asset = dice.pick(coinsOf(world))
    const percent = dice.pick(percents)
    const minutes = Number(dice.weighted({ '0': 1, '1': 1, [beyondQuoteMinutes]: 4, '30': 1 }))
    await world.pass(minutes * minuteMs)
    world.market.change(symbolOf(asset), percent)
    await startJob(world, ratesJob)
    return `${minutes} minutes later, ${asset.name} costs ${percent} % of its first price`
  },
  'wait for a lower price': async (world, dice) => {
    const open = openInCoins(world)
    if (open.length === 0) return 'no invoice in a coin is open'
    const { methodId, address, amountMinor } = dice.pick(open)
    const asset = assetOf(world, methodId)
    await world.pass(beyondQuoteMinutes * minuteMs)
    world.market.change(symbolOf(asset), percents[0])
    await startJob(world, ratesJob)
    await endJob(world, ratesJob)
    await world.pass(1_000)
    pay(world, asset, address, amountMinor)
    return `a payer waits until ${asset.name} costs ${percents[0]} %, and sends ${amountMinor} as before`
  },
  'ask for an address again': async (world, dice) => {
    const open = openInCoins(world)
    if (open.length === 0) return 'no invoice in a coin is open'
    const invoice = dice.pick(open)
    const called = await callAskAgain(world, invoice)
    const of = merchantOf(world, invoice.merchantId)
    return `a payer of ${of} asks for the address again${fateOf(called)}`
  },
  'pay a part and ask for the rest': async (world, dice) => {
    const unpaid = unpaidInCoins(world)
    if (unpaid.length === 0) return 'no invoice in a coin is open and unpaid'
    const invoice = dice.pick(unpaid)
    const asset = assetOf(world, invoice.methodId)
    const amountMinor = (invoice.amountMinor * BigInt(dice.pick([20, 40, 60]))) / 100n
    pay(world, asset, invoice.address, amountMinor)
    for (const side of world.sides.filter(({ name }) => name === asset.network)) side.mine(dice, world.now)
    await world.pass(dice.pick([1_000, beyondQuoteMinutes * minuteMs]))
    for (const job of [ratesJob, `watch ${asset.network}`]) {
      // A batch that began earlier may not see the block, so the job starts again after it.
      await endJob(world, job)
      await startJob(world, job)
      await endJob(world, job)
    }
    const called = await callAskAgain(world, invoice)
    const of = merchantOf(world, invoice.merchantId)
    return `a payer of ${of} sends ${amountMinor} ${asset.name}, and asks for the rest${fateOf(called)}`
  },
  'pay at a quote': async (world, dice) => {
    // Quotes and prices that were stored before are then certainly older than the block of the payment.
    await world.pass(1_000)
    const open = openInCoins(world)
    if (open.length === 0) return 'no invoice in a coin is open'
    const { invoiceId, methodId, address, amountMinor: firstMinor } = dice.pick(open)
    const asked = world.model.askedQuotes.flatMap((one) =>
      one.invoiceId === invoiceId && one.answer !== undefined ? [one.answer.amountMinor] : [],
    )
    const amountMinor = chooseAmount(dice, dice.pick([firstMinor, ...asked]))
    const asset = assetOf(world, methodId)
    pay(world, asset, address, amountMinor)
    return `a payer sends ${amountMinor} ${asset.name} to ${address.slice(0, 12)}`
  },
} satisfies Readonly<Record<string, Play>>

/** Relative frequencies of these moves in a run in which prices change. */
export const priceWeights: Readonly<Record<keyof typeof pricePlays, number>> = {
  'create an invoice in a coin': 8,
  'change a price': 4,
  'wait for a lower price': 5,
  'ask for an address again': 4,
  'pay a part and ask for the rest': 4,
  'pay at a quote': 7,
}

const ratesJob = 'rates'

/** Starts a job of the watcher, if it is due and the watcher is not paused. */
async function startJob(world: Installation, jobName: string): Promise<void> {
  const watcher = world.process('watcher')
  for (const job of watcher.jobs.filter(({ name }) => name === jobName)) await world.startJob(watcher, job)
}

/** Lets the steps of all processes go on until a job of the watcher ends. */
async function endJob(world: Installation, jobName: string): Promise<void> {
  const { life } = world.process('watcher')
  while (world.scheduler.isUnderWay(life, jobName) && (await world.scheduler.advance()));
}

function coinsOf({ assets }: Installation) {
  return assets.filter(({ isStable }) => !isStable)
}

/** Returns the invoices in coins that can still be paid in time. */
function openInCoins(world: Installation) {
  const sinceMs = world.time.trueMs - invoiceLifetimeMs
  return world.model.shown.filter(
    ({ methodId, requestedMs }) => requestedMs > sinceMs && !assetOf(world, methodId).isStable,
  )
}

/** Returns the open invoices in coins for which no block has a payment. */
function unpaidInCoins(world: Installation) {
  const transactions = world.sides.flatMap(({ chain }) => chain.transactionsUpTo(chain.head.height))
  const paid = new Set(transactions.flatMap(({ moves }) => moves.map(({ recipient }) => recipient)))
  return openInCoins(world).filter(({ address }) => !paid.has(address))
}
