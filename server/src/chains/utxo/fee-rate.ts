/** What being mined soon costs by a node's word, held within what is known of its chain. */
import { max, min } from '../../core/money.ts'
import { call, field, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import type { FeeRate } from './coin-port.ts'
import type { CoreCalls } from './core-calls.ts'
import type { UtxoChain } from './utxo-chains.ts'

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

/** A node that has seen too few blocks gives none, or one that is not above zero. */
function estimateIn(answer: RpcAnswer | undefined): bigint | undefined {
  const rate = field(resultOf(answer, 'estimatesmartfee'), 'feerate')
  return typeof rate === 'number' && rate > 0 ? minorOf(rate, 'estimate of fees') : undefined
}

function leastIn(told: unknown, name: string): bigint {
  const rate = field(told, name)
  if (typeof rate === 'number' && rate >= 0) return minorOf(rate, name)
  throw new NodeError(`the node's ${name} is malformed`)
}

/** Nodes write coins for 1,000 bytes with eight decimals; rates are far below what a number holds exactly. */
function minorOf(rate: number, what: string): bigint {
  const minor = Math.round(rate * 1e8)
  if (Number.isSafeInteger(minor)) return BigInt(minor)
  throw new NodeError(`the node's ${what} is malformed`)
}
