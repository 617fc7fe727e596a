import type { Log } from '../core/log.ts'
import type { OutgoingSource } from '../outgoing/engine/outgoing-source.ts'
import type { SweptChain } from '../outgoing/sweeps/preview-sweeps.ts'
import { sweepPolicies } from '../outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../outgoing/sweeps/sweep-deposits.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import type { Config } from './settings/config.ts'

export interface OpenSweepsParts {
  readonly config: Pick<Config, 'mode'>
  readonly methods: PaymentMethods
  readonly log: Log
}

/** Returns the outgoing source that sweeps the deposits of one chain. Its policy depends on `config.mode`. */
export function openSweeps({ config, methods, log }: OpenSweepsParts, chain: SweptChain): OutgoingSource {
  return sweepDeposits({ methods, log, policy: sweepPolicies[config.mode], chainOf: () => chain })
}
