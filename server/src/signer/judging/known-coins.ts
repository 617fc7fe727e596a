import type { CoinSpend, SpendInput } from '../../chains/utxo/coin-port.ts'
import { sum } from '../../core/money.ts'
import { Refusal } from './refusal.ts'

/** What a signed transaction paid for being mined, and its size, so that one that lifts it is judged with it. */
export interface Fee {
  readonly feeMinor: bigint
  /** Virtual bytes. */
  readonly vbytes: number
  readonly inputsMinor: bigint
}

/** What the log says of coins: what each was told to hold, and which transaction of ours made it. */
export class KnownCoins {
  readonly #amounts = new Map<string, bigint>()
  /** By network and outpoint, the payouts that made coins for ourselves. */
  readonly #makers = new Map<string, Fee & { readonly payoutId: string }>()

  /**
   * A signature vouches for the amount of its own input alone (BIP 143): whoever is told different amounts of a coin could
   * be led to sign each input of a transaction with a lie about the others, and so to pay far too high a fee.
   * @throws Refusal
   */
  requireAmounts(network: string, inputs: readonly SpendInput[]): void {
    for (const { outpoint, amountMinor, isProven } of inputs) {
      const known = this.#amounts.get(`${network} ${outpoint}`)
      if (known !== undefined && known !== amountMinor && !isProven)
        throw new Refusal('not-as-intended', `The coin ${outpoint} was said to hold another amount before`)
    }
  }

  /** The transaction of a payout that made a coin; undefined where none that was signed did. */
  makerOf(network: string, outpoint: string, payoutId: string): Fee | undefined {
    const maker = this.#makers.get(`${network} ${outpoint}`)
    return maker?.payoutId === payoutId ? maker : undefined
  }

  add(network: string, payoutId: string, txHash: string, { inputs, outputs, vbytes }: CoinSpend): void {
    for (const { outpoint, amountMinor } of inputs) this.#amounts.set(`${network} ${outpoint}`, amountMinor)
    const fee = feeOf({ inputs, outputs, vbytes })
    for (const [place, { key, amountMinor }] of outputs.entries()) {
      if (key === undefined) continue
      const outpoint = `${network} ${txHash}:${place}`
      this.#amounts.set(outpoint, amountMinor)
      this.#makers.set(outpoint, { payoutId, ...fee })
    }
  }
}

/** Below zero where it pays out more than it spends. */
export function feeOf({ inputs, outputs, vbytes }: CoinSpend): Fee {
  const inputsMinor = sum(inputs.map(({ amountMinor }) => amountMinor))
  return { feeMinor: inputsMinor - sum(outputs.map(({ amountMinor }) => amountMinor)), vbytes, inputsMinor }
}
