import type { Log } from '../core/log.ts'
import type { PayoutPurpose } from '../outgoing/engine/purpose.ts'
import { collectDeposits } from '../outgoing/sweeps/collect-deposits.ts'
import type { CollectedChain } from '../outgoing/sweeps/preview-sweeps.ts'
import { sweepPolicies } from '../outgoing/sweeps/sweep.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
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
