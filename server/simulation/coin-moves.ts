/** The moves on a UTXO network: actions of payers, miners and the node. */
import type { Dice } from './dice.ts'
import type { Installation } from './world/installation.ts'
import { addressesOn, chooseAmount, utxoSideOf } from './world/payers.ts'

/**
 * The service consolidates outputs if there are more than it allows. This number is above that limit. Each
 * output is worth more than the fee to spend it.
 */
const manyOutputs = 210
const smallOutputMinor = 20_000n

export const coinPlays = {
  'pay several invoices': async (world: Installation, dice: Dice) => {
    const side = utxoSideOf(world)
    const targets = addressesOn(world, side.name)
    if (targets.length === 0) return 'nobody has anything to pay in coins'
    const outputs = Array.from({ length: dice.between(2, 4) }, () => {
      const { address, amountMinor } = dice.pick(targets)
      return { recipient: address, amountMinor: chooseAmount(dice, amountMinor) }
    })
    side.pay(outputs)
    return `a payer sends ${outputs.map(({ amountMinor }) => amountMinor).join(' and ')} in one transaction`
  },
  'pay in many outputs': async (world: Installation, dice: Dice) => {
    const side = utxoSideOf(world)
    const targets = addressesOn(world, side.name)
    if (targets.length === 0) return 'nobody has anything to pay in coins'
    const outputs = Array.from({ length: manyOutputs }, () => ({
      recipient: dice.pick(targets).address,
      amountMinor: smallOutputMinor,
    }))
    side.pay(outputs)
    return `a payer sends ${manyOutputs} outputs of ${smallOutputMinor} in one transaction`
  },
  'replace a payment': async (world: Installation, dice: Dice) => {
    const side = utxoSideOf(world)
    if (side.waitingPayments.length === 0) return 'no payment waits for a block'
    const payment = dice.pick(side.waitingPayments)
    const isKept = dice.chance(0.4)
    const outputs = payment.moves.map(({ recipient, amountMinor }) => ({
      recipient: isKept ? recipient : side.newAddress(dice),
      amountMinor,
    }))
    side.replace(payment, outputs)
    return isKept ? 'a payer raises the fee of a payment' : 'a payer spends the money of a payment elsewhere'
  },
  'change the fee rate': async (world: Installation, dice: Dice) => {
    const side = utxoSideOf(world)
    const { usualFeeRate, feeRateMax } = side.fixed.network.chain
    const rates = {
      low: usualFeeRate / 5n,
      usual: usualFeeRate,
      high: usualFeeRate * 8n,
      absurd: 2n * feeRateMax,
    }
    const rate = dice.weighted({ low: 3, usual: 3, high: 3, absurd: 0.5 })
    const isWrong = dice.chance(0.3)
    side.setRates(rates[rate], isWrong ? 2n * rates[rate] : rates[rate])
    return `the fee rate is ${rate}${isWrong ? ', and miners take twice as much' : ''}`
  },
  'forget transactions': async (world: Installation, dice: Dice) => {
    const side = utxoSideOf(world)
    side.forgetWaiting(dice, 0.5)
    return `the node of ${side.name} forgets some transactions of ours`
  },
}

/** Relative frequencies of these moves in a run on a UTXO network. */
export const coinWeights: Readonly<Record<keyof typeof coinPlays, number>> = {
  'pay several invoices': 4,
  'pay in many outputs': 0.3,
  'replace a payment': 3,
  'change the fee rate': 3,
  'forget transactions': 1,
}
