/**
 * Reads what an OP-stack network charges for a transaction in addition to its gas: the data fee for its bytes
 * on the chain below, and the operator fee. The predeploy GasPriceOracle computes both for the rules of the
 * network's current upgrade (specs.optimism.io, Fjord, Isthmus and Jovian).
 */
import * as AbiFunction from 'ox/AbiFunction'
import type { Hex } from 'ox/Hex'
import { required } from '../../core/assert.ts'
import { call, type RpcAnswer, resultOf } from '../json-rpc.ts'
import type { UnsignedTransaction } from '../port.ts'
import { hashOf } from './answers.ts'
import type { JointCalls } from './joint-calls.ts'
import { serializeForDataFee } from './spend-codec.ts'

export const gasPriceOracle = '0x420000000000000000000000000000000000000f'

/** Selector 0x49948e0e. The function adds the size of one signature to the bytes that it gets. */
const getL1Fee = AbiFunction.from('function getL1Fee(bytes data) view returns (uint256)')
/** Selector 0x275aedd2. The function exists since Isthmus. */
const getOperatorFee = AbiFunction.from('function getOperatorFee(uint256 gas) view returns (uint256)')

/**
 * Returns the fee that each transaction would pay now in addition to its gas, if it used its whole gas limit.
 * @throws NodeError if the node does not report the data fee
 */
export async function readOpStackFees(
  calls: JointCalls,
  transactions: readonly UnsignedTransaction[],
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const asked = transactions.flatMap((transaction) => [
    callOracle(AbiFunction.encodeData(getL1Fee, [serializeForDataFee(transaction)])),
    callOracle(AbiFunction.encodeData(getOperatorFee, [transaction.gasLimit])),
  ])
  const answers = await calls.ask(asked, signal)
  return transactions.map((_, index) => {
    const dataFeeMinor = BigInt(hashOf(resultOf(answers[2 * index], 'reading a data fee'), 'data fee'))
    return dataFeeMinor + operatorFeeIn(required(answers[2 * index + 1], 'an operator fee'))
  })
}

function callOracle(data: Hex) {
  return call('eth_call', { to: gasPriceOracle, data }, 'latest')
}

/** Parses an operator fee. Before Isthmus the network has none, and the oracle reverts. */
function operatorFeeIn(answer: RpcAnswer): bigint {
  if (answer.error !== undefined && isRevert(answer.error)) return 0n
  return BigInt(hashOf(resultOf(answer, 'reading an operator fee'), 'operator fee'))
}

/** Code 3 is geth's own code for a reverted call. */
function isRevert({ code, message }: { readonly code: number; readonly message: string }): boolean {
  return code === 3 || /\brevert/i.test(message)
}
