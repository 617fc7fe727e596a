import { ForeignContracts } from '../../src/outgoing/withdrawals/foreign-contracts/find-foreign-contracts.ts'

/** The contracts on other networks of a service that follows only one network. */
export const noOtherNetworks = new ForeignContracts([])
