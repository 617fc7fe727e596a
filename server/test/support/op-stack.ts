/** Lets an anvil charge the fees of an OP-stack network, and answer what they are. */

import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { gasPriceOracle } from '../../src/chains/evm/op-stack-fees.ts'
import { devChainIdOf, networks } from '../../src/chains/networks.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import * as opStack from '../../src/sandbox/op-stack.ts'
import { type AlteredNode, startAlteredNode } from '../chains/altered-node.ts'
import { type Anvil, quantity } from './anvil.ts'

export const opStackNetwork = { ...networks.base, chainId: devChainIdOf('base') }

/** Installs the oracle of the fees, and returns its code. */
export async function installGasPriceOracle(anvil: Anvil): Promise<string> {
  await opStack.installGasPriceOracle(anvil.url)
  return anvil.rpc('eth_getCode', [gasPriceOracle, 'latest'])
}

/** Sets the fees from the next block on. */
export async function setOpStackFees(anvil: Anvil, fees: opStack.OpStackFees): Promise<void> {
  await opStack.setOpStackFees(anvil.url, fees)
  await anvil.mine()
}

const gwei = 10n ** 9n

/** Data fees that are most of a transaction's cost, with the scalars of OP Mainnet. */
export const dearData: opStack.OpStackFees = {
  l1BaseFeeMinor: 30n * gwei,
  l1BlobBaseFeeMinor: 200n * gwei,
  l1BaseFeeScalar: 5227,
  l1BlobBaseFeeScalar: 1_014_213,
}

/** Data fees above the `dataFeePerByteMinor` of a sandbox's signer. */
export const expensiveData: opStack.OpStackFees = { ...dearData, l1BlobBaseFeeMinor: 2_000n * gwei }

const feeOfSigned = parseAbi(['function feeOfSigned(bytes data) view returns (uint256)'])

/**
 * Starts a proxy that adds the data fee to receipts, as `l1Fee`. Anvil charges this fee but does not state it.
 * The contract of the sandbox computes it from the signed bytes with the prices of the transaction's block.
 */
export function startFeeStatingNode(nodeUrl: string): Promise<AlteredNode> {
  const withFee = async (receipt: Receipt | null) => {
    if (receipt === null) return null
    const raw = (await callNode(nodeUrl, 'eth_getRawTransactionByHash', [receipt.transactionHash])) as Hex
    const data = encodeFunctionData({ abi: feeOfSigned, args: [raw] })
    const fee = await callNode(nodeUrl, 'eth_call', [{ to: gasPriceOracle, data }, receipt.blockNumber])
    return { ...receipt, l1Fee: quantity(BigInt(String(fee))) }
  }
  return startAlteredNode(nodeUrl, async ({ method }, answer) => {
    const { result } = answer
    if (method === 'eth_getTransactionReceipt' && result !== undefined)
      return { ...answer, result: await withFee(result as Receipt | null) }
    if (method !== 'eth_getBlockReceipts' || !Array.isArray(result)) return answer
    return { ...answer, result: await Promise.all(result.map(withFee)) }
  })
}

interface Receipt {
  readonly transactionHash: string
  readonly blockNumber: string
}
