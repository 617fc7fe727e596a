import { evmAddresses } from '../../src/chains/evm/address.ts'
import type { WithdrawalParts } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { ForeignContracts } from '../../src/outgoing/withdrawals/foreign-contracts/find-foreign-contracts.ts'
import { screeningOff } from './screening.ts'
import type { Shop } from './shop.ts'

/**
 * Returns the parts with which withdrawals of a shop are created, on a service that follows only one network. By
 * default, the network is an EVM network and nobody is screened.
 */
export function withdrawalPartsOf(
  { db, methods, feeDefaults, orders }: Shop,
  over: Partial<Pick<WithdrawalParts, 'screening' | 'codecOf'>> = {},
): WithdrawalParts {
  const foreignContracts = new ForeignContracts([])
  const codecOf = () => evmAddresses
  return { db, methods, feeDefaults, orders, foreignContracts, screening: screeningOff, codecOf, ...over }
}
