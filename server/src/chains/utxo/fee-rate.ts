/**
 * Reads from a node the fee rate at which a transaction is mined soon. The rate is at most the chain's
 * `feeRateMax`, unless the node's own minimum is higher.
 */
import { max, min } from '../../core/money.ts'
import { call, field, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import type { CoreCalls } from './core-calls.ts'
import type { UtxoChain } from './utxo-chains.ts'
import type { FeeRate } from './utxo-port.ts'

export async function readFeeRate(
  calls: CoreCalls,
  chain: Pick<UtxoChain, 'usualFeeRate' | 'feeRateMax'>,
  blocks: number,
  signal: AbortSignal,
): Promise<FeeRate> {
  const [estimate, mempool, network] = await calls.ask(
    [call('estimatesmartfee', blocks), call('getmempoolinfo'), call('getnetworkinfo')],
    signal,
  )
  const leastMinor = max(
    leastIn(resultOf(mempool, 'getmempoolinfo'), 'mempoolminfee'),
    leastIn(resultOf(network, 'getnetworkinfo'), 'relayfee'),
  )
  const estimated = estimateIn(estimate)
  const rateMinor = max(leastMinor, min(estimated ?? chain.usualFeeRate, chain.feeRateMax))
  return { rateMinor, leastMinor, source: estimated === undefined ? 'usual' : 'estimate' }
}

/**
 * Returns the node's estimate; undefined if the node has seen too few blocks for an estimate. Such a node
 * reports no rate, or a rate that is not above zero.
 */
function estimateIn(answer: RpcAnswer | undefined): bigint | undefined {
  const rate = field(resultOf(answer, 'estimatesmartfee'), 'feerate')
  return typeof rate === 'number' && rate > 0 ? minorOf(rate, 'estimate of fees') : undefined
}

function leastIn(reported: unknown, name: string): bigint {
  const rate = field(reported, name)
  if (typeof rate === 'number' && rate >= 0) return minorOf(rate, name)
  throw new NodeError(`the node's ${name} is malformed`)
}

/**
 * Converts a rate from whole coins per 1,000 bytes to the smallest unit. Nodes write rates with eight
 * decimals. A JS number is exact enough, because rates are far below the largest safe integer.
 */
function minorOf(rate: number, what: string): bigint {
  const minor = Math.round(rate * 1e8)
  if (Number.isSafeInteger(minor)) return BigInt(minor)
  throw new NodeError(`the node's ${what} is malformed`)
}
