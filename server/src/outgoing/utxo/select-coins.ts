/**
 * Coin selection: which UTXOs a transaction spends. Pure. Amounts are in the coin's smallest unit and weights
 * in weight units (BIP 141). Fee rates are in the smallest unit per 1,000 virtual bytes, as nodes report
 * them.
 */
import { sum } from '../../core/money.ts'

/** An output of ours that may be spent. */
export interface Utxo {
  /** `<txid>:<vout>` */
  readonly outpoint: string
  readonly amountMinor: bigint
  /** The weight that spending the UTXO adds to a transaction, including the witness. */
  readonly inputWeight: number
}

export interface Order {
  /** The sum of all outputs except the change. */
  readonly outputsMinor: bigint
  /** The weight of the transaction with these outputs, but without inputs and change. */
  readonly baseWeight: number
  readonly change: {
    readonly outputWeight: number
    /** The weight that spending the change adds to a later transaction. */
    readonly inputWeight: number
    /** The dust limit. Nodes do not relay a smaller output, so smaller change is left to the fee. */
    readonly dustMinor: bigint
  }
  readonly feeRate: bigint
  /**
   * The usual fee rate. While `feeRate` is above it, as few UTXOs as possible are spent. Otherwise, many
   * small UTXOs are spent together.
   */
  readonly usualFeeRate: bigint
  readonly weightMax: number
}

export interface Selection {
  readonly utxos: readonly Utxo[]
  /** The change, which is at least the dust limit; undefined if there is none. */
  readonly changeMinor: bigint | undefined
  /** The fee: the amount that the inputs hold beyond the outputs and the change. */
  readonly feeMinor: bigint
}

export type SelectionAnswer =
  | { readonly type: 'selected'; readonly selection: Selection }
  /** `lackMinor` is the amount that all UTXOs together lack to cover the outputs and the fee. */
  | { readonly type: 'short'; readonly lackMinor: bigint }
  /** The UTXOs suffice, but one transaction cannot spend that many. */
  | { readonly type: 'too-heavy' }

/** Returns the fee for `weight`, rounded up. */
export function feeOf(weight: number, feeRate: bigint): bigint {
  return (BigInt(weight) * feeRate + 3_999n) / 4_000n
}

/**
 * Selects UTXOs. While fees are high, the function searches for a set that needs no change (branch and
 * bound). If there is no such set, it takes the fewest UTXOs. While fees are low, it takes the smallest UTXOs
 * first, so that many small UTXOs become one. A UTXO is never spent if the fee for spending it is more than
 * half of its amount, because the signer allows no larger share.
 */
export function selectCoins(order: Order, utxos: readonly Utxo[]): SelectionAnswer {
  const worthwhile = utxos
    .filter((utxo) => 2n * worthOf(utxo, order.feeRate) >= utxo.amountMinor)
    .toSorted(byWorth(order.feeRate))
  const needMinor = order.outputsMinor + feeOf(order.baseWeight, order.feeRate)
  const worth = sum(worthwhile.map((utxo) => worthOf(utxo, order.feeRate)))
  if (worth < needMinor) return { type: 'short', lackMinor: needMinor - worth }
  const isCheap = order.feeRate <= order.usualFeeRate
  const exact = isCheap ? undefined : withoutChange(order, worthwhile, needMinor)
  const chosen =
    exact ?? (isCheap ? smallestFirst(order, worthwhile, needMinor) : fewest(order, worthwhile, needMinor))
  if (chosen === undefined) return { type: 'too-heavy' }
  return { type: 'selected', selection: settle(order, chosen) }
}

/**
 * Returns the selection with change. If the change is not worth an output, the selection has no change, and
 * the amount is left to the fee.
 */
function settle(order: Order, utxos: readonly Utxo[]): Selection {
  const leftMinor = sum(utxos.map(({ amountMinor }) => amountMinor)) - order.outputsMinor
  const feeMinor = feeOf(weightOf(order, utxos) + order.change.outputWeight, order.feeRate)
  const changeMinor = leftMinor - feeMinor
  if (changeMinor < changeMin(order)) return { utxos, changeMinor: undefined, feeMinor: leftMinor }
  return { utxos, changeMinor, feeMinor }
}

/**
 * Returns the minimum change. Change must not be dust, and must be worth at least the later cost of spending
 * it at the usual fee rate.
 */
function changeMin({ change, usualFeeRate }: Order): bigint {
  const laterMinor = feeOf(change.inputWeight, usualFeeRate)
  return change.dustMinor > laterMinor ? change.dustMinor : laterMinor
}

const triesMax = 50_000
/**
 * Limits the depth of the search for a set without change. If no set of the 500 most valuable UTXOs fits, a
 * set with further UTXOs rarely fits.
 */
const triedUtxosMax = 500

/**
 * Returns the set of UTXOs with the smallest excess over the needed amount. The excess may be at most the
 * cost of change. Returns undefined if there is no such set. Searches depth first through sets with and
 * without each UTXO, the most valuable UTXO first. (Erhardt, "An Evaluation of Coin Selection Strategies",
 * 2016)
 */
function withoutChange(order: Order, utxos: readonly Utxo[], needMinor: bigint): readonly Utxo[] | undefined {
  const tried = utxos.slice(0, triedUtxosMax)
  const mostMinor = needMinor + feeOf(order.change.outputWeight, order.feeRate) + changeMin(order)
  const worths = tried.map((utxo) => worthOf(utxo, order.feeRate))
  const rest = sumsFromEach(worths)
  const best = { chosen: [] as readonly number[], overMinor: mostMinor - needMinor + 1n }
  const chosen: number[] = []
  let tries = 0
  const search = (at: number, sumMinor: bigint): void => {
    tries += 1
    const overMinor = sumMinor - needMinor
    if (tries > triesMax || overMinor >= best.overMinor || sumMinor + (rest[at] ?? 0n) < needMinor) return
    if (overMinor >= 0n) {
      Object.assign(best, { chosen: [...chosen], overMinor })
      return
    }
    chosen.push(at)
    search(at + 1, sumMinor + (worths[at] ?? 0n))
    chosen.pop()
    // When this UTXO is left out, other UTXOs of equal worth are skipped too. A set with one of them is worth
    // the same as a set with this UTXO.
    let next = at + 1
    while (next < worths.length && worths[next] === worths[at]) next += 1
    search(next, sumMinor)
  }
  search(0, 0n)
  return best.chosen.length === 0
    ? undefined
    : fitting(
        order,
        best.chosen.flatMap((at) => tried[at] ?? []),
      )
}

/**
 * Returns the fewest UTXOs: the smallest UTXO that suffices alone, or else the most valuable UTXOs together.
 */
function fewest(order: Order, utxos: readonly Utxo[], needMinor: bigint): readonly Utxo[] | undefined {
  const alone = utxos.findLast((utxo) => worthOf(utxo, order.feeRate) >= needMinor + changeCost(order))
  return fitting(order, alone === undefined ? untilCovered(order, utxos, needMinor) : [alone])
}

/**
 * Returns the smallest UTXOs that cover the needed amount, and then as many more as `consolidatedMax` allows.
 * If the covering UTXOs are too heavy for one transaction, the fewest UTXOs are returned.
 */
function smallestFirst(order: Order, utxos: readonly Utxo[], needMinor: bigint): readonly Utxo[] | undefined {
  const rising = utxos.toReversed()
  const covering = untilCovered(order, rising, needMinor)
  if (fitting(order, covering) === undefined) return fewest(order, utxos, needMinor)
  const most = Math.min(consolidatedMax, Math.floor(rising.length / 2))
  const more = rising.slice(covering.length, Math.max(covering.length, most))
  const consolidated = [...covering, ...more]
  return fitting(order, consolidated) ?? covering
}

/**
 * While fees are low, UTXOs are added to a selection until it has this many, but at most half of all UTXOs.
 * The others stay available, because the change can be spent only after it is mined.
 */
const consolidatedMax = 20

/**
 * Returns the first UTXOs that together cover the needed amount and the cost of change; all UTXOs if they do
 * not suffice.
 */
function untilCovered(order: Order, utxos: readonly Utxo[], needMinor: bigint): readonly Utxo[] {
  const wantedMinor = needMinor + changeCost(order)
  let sumMinor = 0n
  const end = utxos.findIndex((utxo) => {
    sumMinor += worthOf(utxo, order.feeRate)
    return sumMinor >= wantedMinor
  })
  return end === -1 ? utxos : utxos.slice(0, end + 1)
}

function changeCost(order: Order): bigint {
  return feeOf(order.change.outputWeight, order.feeRate) + changeMin(order)
}

function fitting(order: Order, utxos: readonly Utxo[]): readonly Utxo[] | undefined {
  return weightOf(order, utxos) + order.change.outputWeight <= order.weightMax ? utxos : undefined
}

function weightOf({ baseWeight }: Order, utxos: readonly Utxo[]): number {
  return utxos.reduce((weight, { inputWeight }) => weight + inputWeight, baseWeight)
}

/** Returns the amount that a UTXO contributes to a payment: its amount less the cost of spending it. */
function worthOf({ amountMinor, inputWeight }: Utxo, feeRate: bigint): bigint {
  return amountMinor - feeOf(inputWeight, feeRate)
}

/** Sorts the most valuable UTXOs first, and equal UTXOs by outpoint, so that the result is deterministic. */
function byWorth(feeRate: bigint): (a: Utxo, b: Utxo) => number {
  return (a, b) => {
    const difference = worthOf(b, feeRate) - worthOf(a, feeRate)
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return a.outpoint < b.outpoint ? -1 : 1
  }
}

/** Returns at each index the sum of the values from that index on. */
function sumsFromEach(values: readonly bigint[]): readonly bigint[] {
  const sums = [...values]
  for (let at = sums.length - 2; at >= 0; at -= 1) sums[at] = (sums[at] ?? 0n) + (sums[at + 1] ?? 0n)
  return sums
}
