/** Groups the payment methods that a payer may choose by coin, with a typical cost and time. Pure functions. */
import { networkOf } from '../chains/networks.ts'
import { groupBy } from '../core/group-by.ts'
import { decimal, divide, rateDecimals, usdDecimals } from '../core/money.ts'
import { confirmationsRequired, type PaymentMethod } from '../pricing/payment-methods/payment-method.ts'

/** One coin and the networks on which the payer may send it. */
export interface CoinChoice {
  readonly symbol: string
  readonly name: string
  /** Sorted by cost, the cheapest first. */
  readonly options: readonly MethodOption[]
}

export interface MethodOption {
  readonly method: PaymentMethod
  /** What the payer typically pays to the network for the transfer, in 10^-8 USD. Undefined if unknown. */
  readonly feeUsd: bigint | undefined
  /** The typical time from the transfer to its credit. Undefined if unknown. */
  readonly creditedMs: number | undefined
}

/** What was measured on a network. */
export interface Measured {
  /** In the smallest unit of the network's coin for each unit of gas. */
  readonly baseFeeMinor: bigint | undefined
  /** The price of the network's coin in 10^-12 USD. */
  readonly coinPriceUsd: bigint | undefined
}

/** The gas of a transfer of the coin, and of a typical ERC-20 token. */
const coinGas = 21_000n
const tokenGas = 65_000n

/**
 * Groups methods by their coin. The coins keep the order in which the invoice lists them.
 * @param amountUsd the value of the payment in 10^-8 USD, on which the number of confirmations depends
 */
export function choicesOf(
  methods: readonly PaymentMethod[],
  amountUsd: bigint,
  measuredOn: (network: string) => Measured | undefined,
): readonly CoinChoice[] {
  const options = methods.map((method) => ({
    method,
    feeUsd: typicalFeeUsd(method, measuredOn(method.network)),
    creditedMs: typicalMs(method, amountUsd),
  }))
  return [...groupBy(options, ({ method }) => method.symbol)].map(([symbol, own]) => ({
    symbol,
    name: own[0]?.method.name ?? symbol,
    options: own.toSorted(byCost),
  }))
}

function byCost(a: MethodOption, b: MethodOption): number {
  if (a.feeUsd !== b.feeUsd) {
    if (a.feeUsd === undefined) return 1
    if (b.feeUsd === undefined) return -1
    return a.feeUsd < b.feeUsd ? -1 : 1
  }
  return (a.creditedMs ?? Infinity) - (b.creditedMs ?? Infinity) || a.method.id - b.method.id
}

/**
 * Returns what one transfer typically costs, in 10^-8 USD. It is computed from the measured base fee where the
 * base fee is most of the cost. Otherwise it is the figure of the network's row.
 */
export function typicalFeeUsd(
  { network, contract }: Pick<PaymentMethod, 'network' | 'contract'>,
  measured: Measured | undefined,
): bigint | undefined {
  const row = networkOf(network)
  if (row === undefined) return undefined
  const figure = decimal(row.typicalFeeUsd, usdDecimals)
  if (row.family === 'utxo') return figure
  const gas = contract === undefined ? coinGas : tokenGas
  const { baseFeeMinor, coinPriceUsd } = measured ?? {}
  if (!row.isFeeMostlyBaseFee || baseFeeMinor === undefined || coinPriceUsd === undefined)
    return divide(figure * gas, tokenGas, 'up')
  const scale = 10n ** BigInt(row.coin.decimals + rateDecimals - usdDecimals)
  return divide(gas * baseFeeMinor * coinPriceUsd, scale, 'up')
}

/** Returns how long the network typically takes for the confirmations that a payment of this value needs. */
export function typicalMs(method: PaymentMethod, amountUsd: bigint): number | undefined {
  const row = networkOf(method.network)
  return row && confirmationsRequired(method, amountUsd) * row.blockTimeMs
}

const cent = decimal('0.01', usdDecimals)

/**
 * Rounds a typical cost to one significant digit, because it is an estimate. Returns undefined for less than a
 * cent.
 */
export function roundFee(feeUsd: bigint): bigint | undefined {
  if (feeUsd < cent) return undefined
  const step = 10n ** BigInt(feeUsd.toString().length - 1)
  return ((feeUsd + step / 2n) / step) * step
}

/** Rounds a typical time to a number of seconds, minutes or hours that people read at a glance. */
export function roundTime(ms: number): {
  readonly count: number
  readonly unit: 'second' | 'minute' | 'hour'
} {
  const seconds = ms / 1_000
  if (seconds < 57.5) return { count: Math.max(5, Math.round(seconds / 5) * 5), unit: 'second' }
  const minutes = Math.round(seconds / 60)
  return minutes < 60
    ? { count: Math.max(1, minutes), unit: 'minute' }
    : { count: Math.round(minutes / 60), unit: 'hour' }
}
