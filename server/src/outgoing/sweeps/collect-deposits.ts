import { NodeError } from '../../chains/port.ts'
import type { Log } from '../../core/log.ts'
import type { PayoutFollower, PayoutPurpose } from '../engine/purpose.ts'
import { type FollowSweepsParts, followSweep } from './follow-sweeps.ts'
import type { PreviewParts } from './preview-sweeps.ts'
import { proposeSweeps } from './propose-sweeps.ts'

export interface CollectDepositsParts extends PreviewParts {
  readonly log: Log
}

/** One look at the chain may take so long. */
const lookMs = 10_000

/** Brings money from deposit addresses to the hot lanes: what payouts are for, as far as it is this. */
export function collectDeposits(parts: CollectDepositsParts): PayoutPurpose {
  return {
    ...collectionFollower({
      methods: parts.methods,
      familyOf: (network) => parts.chainOf(network).codec.family,
    }),
    propose: async (on, network, rows) => {
      try {
        return await proposeSweeps(parts, on, network, rows, AbortSignal.timeout(lookMs))
      } catch (error) {
        // Withdrawals do not wait for it.
        if (!(error instanceof NodeError)) throw error
        parts.log.warn({ network, err: error }, 'no look at what is to be collected, will try again')
        return []
      }
    },
  }
}

/** Keeps collections as far as their payouts have come. */
export function collectionFollower(parts: FollowSweepsParts): PayoutFollower {
  return {
    kinds: ['sweep', 'top_up', 'forward', 'deploy'],
    moved: async (tx, moves) => {
      for (const move of moves) await followSweep(parts, tx, move)
    },
  }
}
