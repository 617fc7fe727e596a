import type { NodeFindings } from '../../chains/evm/probe/probe-network.ts'
import { formatDecimal, parseDecimal } from '../../core/money.ts'
import type { Draft } from '../../pricing/own-rows/make-change.ts'
import type { FieldProblem } from '../../pricing/own-rows/row-fields.ts'
import { canAllDelegate } from './compare-findings.ts'

/** A network as an operator enters it, in a command or on the page. Fees are in gwei. */
export interface NetworkInput {
  readonly name: string
  readonly title?: string | undefined
  readonly chainId: number
  readonly coin?: string | undefined
  readonly coinName?: string | undefined
  readonly explorer?: string | undefined
  readonly explorerName?: string | undefined
  readonly walletRpc?: string | undefined
  /** Three numbers of blocks. */
  readonly confirmations?: readonly number[] | undefined
  readonly minimum?: string | undefined
  readonly depositMax?: string | undefined
  readonly maxFee?: string | undefined
  readonly minTip?: string | undefined
  readonly maxTip?: string | undefined
  /** Undefined for the one that was found. */
  readonly feeModel?: string | undefined
  readonly coldAddress?: string | undefined
  readonly gasBudget?: string | undefined
  readonly typicalFee?: string | undefined
  readonly mirrors?: readonly string[] | undefined
  readonly isStable?: boolean | undefined
  readonly isCreditable?: boolean | undefined
}

/** The least time of a block that a row may state. */
const blockTimeMsMin = 50
const assumedBlockTimeMs = 2_000
const coinDecimals = 18
const usualMinimum = '0.0005'
/**
 * The default budget of gas as a multiple of the smallest deposit, because no price of the coin is known. With the
 * default minimum it is 0.25, which is also Ethereum's.
 */
const gasBudgetPerMinimum = 500n

/** Returns the row from what the operator entered and the nodes agree on. Its fields are checked later. */
export function networkDraft(input: NetworkInput, found: readonly NodeFindings[]): Draft {
  const symbol = input.coin ?? ''
  const minimum = input.minimum ?? usualMinimum
  const [first] = found
  const feeModel = input.feeModel ?? first?.feeModel
  return {
    name: input.name,
    title: input.title ?? '',
    chainId: input.chainId,
    coin: {
      symbol,
      name: input.coinName ?? symbol,
      decimals: coinDecimals,
      minimum,
      depositMax: input.depositMax ?? '1000000',
      isStable: input.isStable === true,
    },
    blockTimeMs: Math.max(blockTimeMsMin, first?.blockTimeMs ?? assumedBlockTimeMs),
    confirmations: input.confirmations ?? [20, 60, 240],
    feeModel,
    canDelegate: feeModel !== 'legacy' && canAllDelegate(found),
    priceBounds: priceBoundsOf(input, feeModel),
    coinMirrors: input.mirrors ?? [],
    explorer: explorerOf(input),
    walletRpcUrl: input.walletRpc ?? null,
    typicalFeeUsd: input.typicalFee ?? '0.01',
    isCreditable: input.isCreditable === true,
    coldAddress: input.coldAddress ?? null,
    gasBudget: input.gasBudget ?? usualGasBudget(minimum),
  }
}

/** A network without base fees has one price, so that both maxima are the same. */
function priceBoundsOf({ maxFee = '500', minTip = '0.001', maxTip = '20' }: NetworkInput, feeModel: unknown) {
  return {
    maxFeePerGasMax: weiOf(maxFee),
    maxPriorityFeePerGasMin: weiOf(minTip),
    maxPriorityFeePerGasMax: weiOf(feeModel === 'legacy' ? maxFee : maxTip),
  }
}

/** Returns the budget for a coin of which `minimum` is the smallest deposit; 0 if that is no amount. */
function usualGasBudget(minimum: string): string {
  return formatDecimal((parseDecimal(minimum, coinDecimals) ?? 0n) * gasBudgetPerMinimum, coinDecimals)
}

const gweiFields = ['maxFee', 'minTip', 'maxTip'] as const

/** Returns the fees that are no amounts in gwei, which the row has in wei. */
export function gweiProblems(input: NetworkInput): readonly FieldProblem[] {
  return gweiFields.flatMap((field) => {
    const text = input[field]
    const isAmount = text === undefined || parseDecimal(text, 9) !== undefined
    return isAmount ? [] : [{ field, detail: 'must be an amount in gwei such as 0.5' }]
  })
}

/**
 * Returns the fees that do not fit a network without base fees. There is no default maximum, because a node that
 * states a false price makes every transaction cost that much.
 */
export function legacyProblems(
  { feeModel, maxFee, maxTip }: NetworkInput,
  found: readonly NodeFindings[],
): readonly FieldProblem[] {
  if ((feeModel ?? found[0]?.feeModel) !== 'legacy') return []
  const prices = found.flatMap(({ gasPriceMinor: price }) =>
    price === undefined ? [] : formatDecimal(price, 9),
  )
  const asked = prices.length === 0 ? '' : `. The nodes ask for ${prices.join(', ')}`
  const missing = `is required on a network without base fees, where the whole price is paid: give the highest price that you would pay, in gwei${asked}`
  return [
    ...(maxFee === undefined ? [{ field: 'maxFee', detail: missing }] : []),
    ...(maxTip === undefined
      ? []
      : [{ field: 'maxTip', detail: 'must be left out on a network without base fees' }]),
  ]
}

/** Converts gwei to wei, the unit of the row. */
function weiOf(gwei: string): string | undefined {
  return parseDecimal(gwei, 9)?.toString()
}

function explorerOf({ explorer = '', explorerName }: NetworkInput) {
  const host = URL.canParse(explorer) ? new URL(explorer).hostname : ''
  return { name: explorerName ?? host.replaceAll(/[^a-z0-9.]/g, ''), url: explorer }
}
