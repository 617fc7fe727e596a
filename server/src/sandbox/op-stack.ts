/** Gives a dev chain of an OP-stack network the contract that reports its fees, which anvil does not have. */
import { readFile } from 'node:fs/promises'
import { gasPriceOracle } from '../chains/evm/op-stack-fees.ts'
import { callNode } from './node-call.ts'

/** The predeploy that has the prices of the chain below. Anvil reads its storage for each transaction. */
const l1Block = '0x4200000000000000000000000000000000000015'

export interface OpStackFees {
  readonly l1BaseFeeMinor: bigint
  readonly l1BlobBaseFeeMinor: bigint
  readonly l1BaseFeeScalar: number
  readonly l1BlobBaseFeeScalar: number
  /** Absent for a network without operator fee. */
  readonly operator?: { readonly scalar: number; readonly constant: bigint }
}

/**
 * Installs the contract if the chain does not have it yet. The data fee of the chain stays 0: anvil would charge
 * one, but does not state it in its receipts, so that the books could not include it.
 */
export async function prepareOpStack(url: string, signal: AbortSignal): Promise<void> {
  if ((await callNode(url, 'eth_getCode', [gasPriceOracle, 'latest'], signal)) !== '0x') return
  await installGasPriceOracle(url)
}

/** Installs the oracle of the fees. Without it the fees are charged but not reported. */
export async function installGasPriceOracle(url: string): Promise<void> {
  // The relative path is right both for this file in `src` and for its built copy in `dist`.
  const file = new URL('../../src/sandbox/contracts/GasPriceOracle.json', import.meta.url)
  const { bytecode } = JSON.parse(await readFile(file, 'utf8'))
  // A call without a recipient returns the code that a deployment would leave on the chain.
  const code = await callNode(url, 'eth_call', [{ data: bytecode }, 'latest'])
  await callNode(url, 'hardhat_setCode', [gasPriceOracle, code])
}

/** Sets the fees from the next block on. */
export async function setOpStackFees(url: string, fees: OpStackFees): Promise<void> {
  const scalars = Buffer.alloc(32)
  scalars.writeUInt32BE(fees.l1BaseFeeScalar, 16)
  scalars.writeUInt32BE(fees.l1BlobBaseFeeScalar, 20)
  const operator = Buffer.alloc(32)
  operator.writeUInt32BE(fees.operator?.scalar ?? 0, 20)
  operator.writeBigUInt64BE(fees.operator?.constant ?? 0n, 24)
  const slots: readonly (readonly [number, string])[] = [
    [1, word(fees.l1BaseFeeMinor)],
    [3, `0x${scalars.toString('hex')}`],
    [7, word(fees.l1BlobBaseFeeMinor)],
    [8, `0x${operator.toString('hex')}`],
  ]
  for (const contract of [l1Block, gasPriceOracle])
    for (const [slot, value] of slots)
      await callNode(url, 'hardhat_setStorageAt', [contract, `0x${slot.toString(16)}`, value])
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
