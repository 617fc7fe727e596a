/** The moves of payers who pay on a network that their invoice does not offer, and of the merchants whom they pay. */
import type { Dice } from '../dice.ts'
import type { ModelAsset } from '../model/asset.ts'
import type { ShownAddress } from '../model/model.ts'
import { fateOf, merchantOf, type Play } from '../play.ts'
import { symbolOf } from '../prices/valuation.ts'
import { transferred } from '../world/fixed.ts'
import type { Installation } from '../world/installation.ts'
import { assetOf, chooseAmount, evmSideOf } from '../world/payers.ts'
import { callCredit, readPayments, type ShownPayment } from './call-credit.ts'
import { isOnWrongNetwork } from './credit-request.ts'

export const wrongNetworkPlays = {
  'pay on the wrong network': async (world, dice) => {
    const target = pickOnEvm(world, dice)
    const others = world.assets.filter(
      ({ network, family }) => family === 'evm' && network !== target?.network,
    )
    if (target === undefined || others.length === 0) return 'nobody can pay on another network'
    const asset = dice.pick(others)
    const amountMinor = amountOf(world, dice, target, asset)
    const payment = {
      asset: transferred(asset.contract),
      recipient: target.address,
      amountMinor,
      internal: asset.contract === null && dice.chance(0.2),
    }
    const isFailed = dice.chance(0.1)
    const sender = evmSideOf(world, asset.network).pay(payment, { failed: isFailed })
    const isListed = world.features.hasListedSenders && dice.chance(0.3)
    if (isListed) world.model.listed.add(sender)
    const who = isListed ? 'a listed sender' : 'a payer'
    const what = `${amountMinor} ${asset.name} to ${target.address.slice(0, 10)}`
    return `${who} sends ${what}, an invoice on ${target.network}${isFailed ? ', and fails' : ''}`
  },
  /**
   * Mines one transaction on two networks. A transaction without a chain id, and a contract that creates the same
   * transactions everywhere, have the same hash there.
   */
  'pay on both networks': async (world, dice) => {
    const target = pickOnEvm(world, dice)
    if (target === undefined) return 'nobody has anything to pay'
    const { contract, name } = assetOf(world, target.methodId)
    const { address: recipient, amountMinor } = target
    const [first, ...others] = world.evmSides
    if (first === undefined || others.length === 0) return 'there is no other network'
    const move = { asset: transferred(contract), sender: first.chain.newAddress(), recipient, amountMinor }
    const transaction = first.chain.transaction([move])
    for (const side of world.evmSides) side.submit(transaction)
    return `a payer sends ${amountMinor} ${name} to ${recipient.slice(0, 10)} in the same transaction on all networks`
  },
  'credit a payment': async (world, dice) => {
    const payments = await readPayments(world)
    const wrong = payments.filter((payment) => isWrong(world, payment))
    // Sometimes a merchant asks for a payment that must not be credited so.
    const isMistaken = dice.chance(0.15)
    const choice = isMistaken ? payments : wrong
    if (choice.length === 0) return 'no payment is on the wrong network'
    const payment = dice.pick(choice)
    const merchantId = isMistaken ? dice.pick(world.model.merchants) : payment.merchantId
    const times = dice.chance(0.4) ? 2 : 1
    let fate = ''
    for (let time = 0; time < times; time += 1) fate = fateOf(await callCredit(world, merchantId, payment))
    const often = times === 1 ? '' : ' twice at the same moment'
    return `${merchantOf(world, merchantId)} credits itself a payment in ${payment.asset}${often}${fate}`
  },
} satisfies Readonly<Record<string, Play>>

/** Relative frequencies of these moves in a run with payments on the wrong network. */
export const wrongNetworkWeights: Readonly<Record<keyof typeof wrongNetworkPlays, number>> = {
  'pay on the wrong network': 6,
  'pay on both networks': 2,
  'credit a payment': 5,
}

/** Returns whether a payment that the service shows is on a network that its invoice does not offer. */
export function isWrong({ model }: Installation, payment: ShownPayment): boolean {
  const shown = model.shown.find(({ invoiceId }) => invoiceId === payment.invoiceId)
  return shown !== undefined && isOnWrongNetwork(shown, payment)
}

function pickOnEvm(world: Installation, dice: Dice): ShownAddress | undefined {
  const shown = world.model.shown.filter(({ methodId }) => assetOf(world, methodId).family === 'evm')
  return shown.length === 0 ? undefined : dice.pick(shown)
}

/**
 * Chooses an amount of another asset. If it has the same symbol, it is an amount that the payer was asked for. The
 * restoration of a merchant credits payments below the minimum, so seeds with authentication have none.
 */
function amountOf(world: Installation, dice: Dice, target: ShownAddress, asset: ModelAsset): bigint {
  const { minimumMinor, decimals } = asset
  const isSame = symbolOf(asset) === symbolOf(assetOf(world, target.methodId))
  const usual = isSame ? chooseAmount(dice, target.amountMinor) : minimumMinor * BigInt(dice.pick([1, 7, 40]))
  const step = 10n ** BigInt(Math.max(0, decimals - 8))
  const amountMinor = dice.chance(0.15) ? (minimumMinor * 3n) / 5n : usual - (usual % step)
  return world.features.hasAccess && amountMinor < minimumMinor ? minimumMinor : amountMinor || 1n
}
