import { collectDeposits } from '../collections/collect-deposits.ts'
import { sweepPolicies } from '../collections/collection.ts'
import type { CollectedChain } from '../collections/preview-sweeps.ts'
import type { Log } from '../core/log.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { PayoutPurpose } from '../payouts/purpose.ts'
import type { Config } from './settings/config.ts'

export interface OpenCollectionsParts {
  readonly config: Pick<Config, 'mode'>
  readonly methods: PaymentMethods
  readonly log: Log
}

/** Brings money in on one chain, as the mode of the installation says. */
export function openCollections(
  { config, methods, log }: OpenCollectionsParts,
  chain: CollectedChain,
): PayoutPurpose {
  return collectDeposits({ methods, log, policy: sweepPolicies[config.mode], chainOf: () => chain })
}
