/** Lets an anvil charge the fees of an OP-stack network, and answer what they are. */

import { gasPriceOracle } from '../../src/chains/evm/op-stack-fees.ts'
import { devChainIdOf, networks } from '../../src/chains/networks.ts'
import * as opStack from '../../src/sandbox/op-stack.ts'
import type { Anvil } from './anvil.ts'

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
