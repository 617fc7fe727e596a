/** Lets an anvil charge the fees of an OP-stack network, and answer what they are. */

import { gasPriceOracle } from '../../src/chains/evm/op-stack-fees.ts'
import { devChainIdOf, networks } from '../../src/chains/networks.ts'
import type { Anvil } from './anvil.ts'
import { compileContract } from './compile-contract.ts'

export const opStackNetwork = { ...networks.base, chainId: devChainIdOf('base') }

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

/** Installs the oracle of the fees. Without it the fees are charged but not reported. */
export async function installGasPriceOracle(anvil: Anvil): Promise<string> {
  const artifact = await compileContract(new URL('../chains/contracts/GasPriceOracle.sol', import.meta.url))
  const elsewhere = await anvil.deploy(artifact)
  const code = await anvil.rpc('eth_getCode', [elsewhere, 'latest'])
  await anvil.rpc('anvil_setCode', [gasPriceOracle, code])
  return code
}

/** Sets the fees from the next block on. */
export async function setOpStackFees(anvil: Anvil, fees: OpStackFees): Promise<void> {
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
      await anvil.rpc('anvil_setStorageAt', [contract, word(BigInt(slot)), value])
  await anvil.mine()
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
