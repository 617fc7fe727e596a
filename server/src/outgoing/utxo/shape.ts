/** The inputs and outputs of an outgoing transaction on a UTXO chain. Pure. */
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { Intent, Payment, UtxoHotKeyPath, UtxoKeyPath } from '../../signing/intent.ts'
import type { UtxoFees } from '../engine/outgoing-transaction.ts'
import type { UtxoOutgoingTransaction } from '../engine/store.ts'

/** A UTXO that an outgoing transaction spends. */
export interface OutgoingTransactionInput {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly keyPath: UtxoKeyPath
}

/** A payment to somebody else, which has an output of its own. */
export interface Paid {
  /**
   * The recipient. Undefined for the operator's cold address, which the signer reads from its own settings.
   */
  readonly address: string | undefined
  readonly amountMinor: bigint
}

export interface Shape {
  /** The payments, in the order of their outputs. */
  readonly paid: readonly Paid[]
  /** The change, in the last output; undefined if there is none. */
  readonly change: { readonly keyPath: UtxoHotKeyPath; readonly amountMinor: bigint } | undefined
}

/** The first address of the hot wallet, which receives funds from the operator. */
export const firstKeyPath: UtxoHotKeyPath = { type: 'hot', branch: 0, index: 0 }

/**
 * Returns the outputs of an outgoing transaction. The amount that its inputs hold beyond payments and fee is
 * change, and goes to the change address of its slot.
 */
export function shapeOf(
  { intent, slot, fees }: Pick<UtxoOutgoingTransaction, 'intent' | 'slot' | 'fees'>,
  inputs: readonly OutgoingTransactionInput[],
): Shape {
  const paid = paidBy(intent)
  const changeMinor = totalOf(inputs) - totalOf(paid) - fees.fee
  return {
    paid,
    change:
      slot.change !== undefined && changeMinor > 0n
        ? { keyPath: slot.change, amountMinor: changeMinor }
        : undefined,
  }
}

export function paymentsOf(intent: Intent): readonly Payment[] {
  return intent.kind === 'withdrawal' ? intent.payments : []
}

/** Returns the payments of an intent to others, without change. */
export function paidBy(intent: Intent): readonly Paid[] {
  if (intent.kind === 'treasury_withdrawal') return [{ address: undefined, amountMinor: intent.amountMinor }]
  return paymentsOf(intent).map(({ address, netMinor }) => ({ address, amountMinor: netMinor }))
}

export function totalOf(amounts: readonly { readonly amountMinor: bigint }[]): bigint {
  return sum(amounts.map(({ amountMinor }) => amountMinor))
}

/** Returns the fees of a transaction of `weight` that pays `fee` in total. */
export function feesOf(weight: number, fee: bigint): UtxoFees {
  const vbytes = BigInt(Math.ceil(weight / 4))
  return { vbytes, feeRate: (fee + vbytes - 1n) / vbytes, fee }
}

/** Returns the outpoint of a transaction's change. */
export function changeOutpoint(txHash: string, { paid }: Shape): string {
  return `${txHash}:${paid.length}`
}

/** Returns the hash of a UTXO's previous transaction. */
export function previousTxHashOf({ outpoint }: Pick<OutgoingTransactionInput, 'outpoint'>): string {
  return outpoint.slice(0, outpoint.indexOf(':'))
}

/** Returns the UTXO that all attempts of an outgoing transaction spend. */
export function pinnedOutpointOf(inputs: readonly OutgoingTransactionInput[]): string {
  return required(inputs[0], 'an input').outpoint
}
