/**
 * Which coins a transaction spends, where money lies in outputs of earlier transactions. Pure. Amounts are in the coin's
 * smallest unit, weights in weight units (BIP 141), fee rates in the smallest unit for 1,000 virtual bytes, as nodes tell.
 */
import { sum } from '../../core/money.ts'

/** An output of ours that may be spent. */
export interface Coin {
  /** `<txid>:<vout>` */
  readonly outpoint: string
  readonly amountMinor: bigint
  /** What spending it adds to a transaction, its witness included. */
  readonly inputWeight: number
}

export interface Order {
  /** What leaves in all outputs but the change. */
  readonly outputsMinor: bigint
  /** Of the transaction with these outputs, before any input and change. */
  readonly baseWeight: number
  readonly change: {
    readonly outputWeight: number
    /** What spending it later adds to that transaction. */
    readonly inputWeight: number
    /** An output below it is not relayed: it is left to the fee. */
    readonly dustMinor: bigint
  }
  readonly feeRate: bigint
  /** What is paid on an ordinary day: above it few coins are spent, below it many. */
  readonly usualFeeRate: bigint
  readonly weightMax: number
}

export interface Selection {
  readonly coins: readonly Coin[]
  /** Above the dust limit; undefined where there is none. */
  readonly changeMinor: bigint | undefined
  /** All that the inputs hold beyond outputs and change. */
  readonly feeMinor: bigint
}

export type SelectionAnswer =
  | { readonly type: 'selected'; readonly selection: Selection }
  /** What all coins together lack of outputs and fee. */
  | { readonly type: 'short'; readonly lackMinor: bigint }
  /** There is enough, in more coins than one transaction can spend. */
  | { readonly type: 'too-heavy' }

/** What `weight` costs, rounded up. */
export function feeOf(weight: number, feeRate: bigint): bigint {
  return (BigInt(weight) * feeRate + 3_999n) / 4_000n
}

/**
 * Chooses coins: a set that needs no change where one is found (branch and bound), else the least coins while fees are
 * high, and the smallest first while they are low, so that many small coins become one when that is cheap. A coin that
 * costs more than half of what it holds is left where it is: the signer allows no larger share.
 */
export function selectCoins(order: Order, coins: readonly Coin[]): SelectionAnswer {
  const worthwhile = coins
    .filter((coin) => 2n * worthOf(coin, order.feeRate) >= coin.amountMinor)
    .toSorted(byWorth(order.feeRate))
  const needMinor = order.outputsMinor + feeOf(order.baseWeight, order.feeRate)
  const worth = sum(worthwhile.map((coin) => worthOf(coin, order.feeRate)))
  if (worth < needMinor) return { type: 'short', lackMinor: needMinor - worth }
  const isCheap = order.feeRate <= order.usualFeeRate
  const exact = isCheap ? undefined : withoutChange(order, worthwhile, needMinor)
  const chosen =
    exact ?? (isCheap ? smallestFirst(order, worthwhile, needMinor) : fewest(order, worthwhile, needMinor))
  if (chosen === undefined) return { type: 'too-heavy' }
  return { type: 'selected', selection: settle(order, chosen) }
}

/** Change, or none: what is not worth an output of its own is left to the fee. */
function settle(order: Order, coins: readonly Coin[]): Selection {
  const leftMinor = sum(coins.map(({ amountMinor }) => amountMinor)) - order.outputsMinor
  const feeMinor = feeOf(weightOf(order, coins) + order.change.outputWeight, order.feeRate)
  const changeMinor = leftMinor - feeMinor
  if (changeMinor < changeMin(order)) return { coins, changeMinor: undefined, feeMinor: leftMinor }
  return { coins, changeMinor, feeMinor }
}

/** Neither dust, nor worth less than spending it will cost on an ordinary day. */
function changeMin({ change, usualFeeRate }: Order): bigint {
  const laterMinor = feeOf(change.inputWeight, usualFeeRate)
  return change.dustMinor > laterMinor ? change.dustMinor : laterMinor
}

const triesMax = 50_000
/** Of more coins than these hardly ever a set fits that of these none does; it bounds how deep the search goes. */
const triedCoinsMax = 500

/**
 * Depth first through "with this coin" and "without it", the most valuable first, for the set that exceeds the need by
 * least, and by no more than making change would cost. (Erhardt, "An Evaluation of Coin Selection Strategies", 2016)
 */
function withoutChange(order: Order, coins: readonly Coin[], needMinor: bigint): readonly Coin[] | undefined {
  const tried = coins.slice(0, triedCoinsMax)
  const mostMinor = needMinor + feeOf(order.change.outputWeight, order.feeRate) + changeMin(order)
  const worths = tried.map((coin) => worthOf(coin, order.feeRate))
  const rest = sumsFromEach(worths)
  const best = { chosen: [] as readonly number[], overMinor: mostMinor - needMinor + 1n }
  const chosen: number[] = []
  let tries = 0
  const walk = (at: number, sumMinor: bigint): void => {
    tries += 1
    const overMinor = sumMinor - needMinor
    if (tries > triesMax || overMinor >= best.overMinor || sumMinor + (rest[at] ?? 0n) < needMinor) return
    if (overMinor >= 0n) {
      Object.assign(best, { chosen: [...chosen], overMinor })
      return
    }
    chosen.push(at)
    walk(at + 1, sumMinor + (worths[at] ?? 0n))
    chosen.pop()
    // Without this coin its equals are not tried either: such a set was seen with this one.
    let next = at + 1
    while (next < worths.length && worths[next] === worths[at]) next += 1
    walk(next, sumMinor)
  }
  walk(0, 0n)
  return best.chosen.length === 0
    ? undefined
    : fitting(
        order,
        best.chosen.flatMap((at) => tried[at] ?? []),
      )
}

/** The least coins: the smallest that suffices alone, else the most valuable together. */
function fewest(order: Order, coins: readonly Coin[], needMinor: bigint): readonly Coin[] | undefined {
  const alone = coins.findLast((coin) => worthOf(coin, order.feeRate) >= needMinor + changeCost(order))
  return fitting(order, alone === undefined ? untilCovered(order, coins, needMinor) : [alone])
}

/** The smallest first, and on to as many as a transaction spends; where they are too many, the least coins. */
function smallestFirst(order: Order, coins: readonly Coin[], needMinor: bigint): readonly Coin[] | undefined {
  const rising = coins.toReversed()
  const covering = untilCovered(order, rising, needMinor)
  if (fitting(order, covering) === undefined) return fewest(order, coins, needMinor)
  const most = Math.min(gatheredMax, Math.floor(rising.length / 2))
  const more = rising.slice(covering.length, Math.max(covering.length, most))
  const gathered = [...covering, ...more]
  return fitting(order, gathered) ?? covering
}

/**
 * How many coins are spent together while that is cheap, whatever is paid; never most of them, since what comes back has to
 * be mined before it is spent.
 */
const gatheredMax = 20

/** From the first on until the need and change are covered; all where they are not. */
function untilCovered(order: Order, coins: readonly Coin[], needMinor: bigint): readonly Coin[] {
  const wantedMinor = needMinor + changeCost(order)
  let sumMinor = 0n
  const end = coins.findIndex((coin) => {
    sumMinor += worthOf(coin, order.feeRate)
    return sumMinor >= wantedMinor
  })
  return end === -1 ? coins : coins.slice(0, end + 1)
}

function changeCost(order: Order): bigint {
  return feeOf(order.change.outputWeight, order.feeRate) + changeMin(order)
}

function fitting(order: Order, coins: readonly Coin[]): readonly Coin[] | undefined {
  return weightOf(order, coins) + order.change.outputWeight <= order.weightMax ? coins : undefined
}

function weightOf({ baseWeight }: Order, coins: readonly Coin[]): number {
  return coins.reduce((weight, { inputWeight }) => weight + inputWeight, baseWeight)
}

/** What a coin adds to what can be paid: its amount less what spending it costs. */
function worthOf({ amountMinor, inputWeight }: Coin, feeRate: bigint): bigint {
  return amountMinor - feeOf(inputWeight, feeRate)
}

/** The most valuable first; equals in the order of their outpoints, so that the same question has the same answer. */
function byWorth(feeRate: bigint): (a: Coin, b: Coin) => number {
  return (a, b) => {
    const difference = worthOf(b, feeRate) - worthOf(a, feeRate)
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return a.outpoint < b.outpoint ? -1 : 1
  }
}

/** At each place the sum of the values from there on. */
function sumsFromEach(values: readonly bigint[]): readonly bigint[] {
  const sums = [...values]
  for (let at = sums.length - 2; at >= 0; at -= 1) sums[at] = (sums[at] ?? 0n) + (sums[at + 1] ?? 0n)
  return sums
}
