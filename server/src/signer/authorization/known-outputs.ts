import type { SpendInput, UtxoSpend } from '../../chains/utxo/utxo-port.ts'
import { sum } from '../../core/money.ts'
import { Refusal } from './refusal.ts'

/**
 * The fee, the size and the sum of the inputs of a signed transaction. A CPFP transaction is checked together
 * with its parent, so the fee of the parent is needed too.
 */
export interface Fee {
  readonly feeMinor: bigint
  /** The size in virtual bytes. */
  readonly vbytes: number
  readonly inputsMinor: bigint
}

/**
 * The UTXOs in the signer's log: the amount that was stated for each UTXO, and the transaction of ours that
 * created the UTXO.
 */
export class KnownOutputs {
  readonly #amounts = new Map<string, bigint>()
  /** Outgoing transactions that created UTXOs of ours, keyed by network and outpoint. */
  readonly #parents = new Map<string, Fee & { readonly outgoingTransactionId: string }>()

  /**
   * Checks the amounts of inputs against earlier amounts of the same UTXOs. A signature covers only the
   * amount of its own input (BIP 143). An attacker who states different amounts for the same UTXO could have
   * each input signed with false amounts for the others. The transaction would then pay far too high a fee.
   * @throws Refusal if an amount that the PSBT does not prove differs from an earlier amount.
   */
  requireAmounts(network: string, inputs: readonly SpendInput[]): void {
    for (const { outpoint, amountMinor, isProven } of inputs) {
      const known = this.#amounts.get(`${network} ${outpoint}`)
      if (known !== undefined && known !== amountMinor && !isProven)
        throw new Refusal('not-as-intended', `The UTXO ${outpoint} was stated with another amount before`)
    }
  }

  /**
   * Returns the fee and size of the outgoing transaction that created a UTXO. Returns undefined if, according
   * to the log, the outgoing transaction with this id did not create the UTXO.
   */
  parentOf(network: string, outpoint: string, outgoingTransactionId: string): Fee | undefined {
    const parent = this.#parents.get(`${network} ${outpoint}`)
    return parent?.outgoingTransactionId === outgoingTransactionId ? parent : undefined
  }

  add(
    network: string,
    outgoingTransactionId: string,
    txHash: string,
    { inputs, outputs, vbytes }: UtxoSpend,
  ): void {
    for (const { outpoint, amountMinor } of inputs) this.#amounts.set(`${network} ${outpoint}`, amountMinor)
    const fee = feeOf({ inputs, outputs, vbytes })
    for (const [index, { key, amountMinor }] of outputs.entries()) {
      if (key === undefined) continue
      const outpoint = `${network} ${txHash}:${index}`
      this.#amounts.set(outpoint, amountMinor)
      this.#parents.set(outpoint, { outgoingTransactionId, ...fee })
    }
  }
}

/** Returns the fee and size of a transaction. The fee is below zero if its outputs exceed its inputs. */
export function feeOf({ inputs, outputs, vbytes }: UtxoSpend): Fee {
  const inputsMinor = sum(inputs.map(({ amountMinor }) => amountMinor))
  return { feeMinor: inputsMinor - sum(outputs.map(({ amountMinor }) => amountMinor)), vbytes, inputsMinor }
}
