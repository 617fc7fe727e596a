import { NodeError } from '../../chains/port.ts'
import { withinTime } from '../../core/concurrency/linked-signal.ts'
import type { Log } from '../../core/log.ts'
import type { OutgoingListener, OutgoingSource } from '../engine/outgoing-source.ts'
import { type FollowSweepsParts, followSweep } from './follow-sweeps.ts'
import type { PreviewParts } from './preview-sweeps.ts'
import { proposeSweeps } from './propose-sweeps.ts'

export interface SweepDepositsParts extends PreviewParts {
  readonly log: Log
}

/** The maximum time for which one preview of sweeps may read the chain. */
const proposeTimeoutMs = 10_000

/** Connects sweeps to the engine of outgoing transactions: proposes sweeps and follows their transactions. */
export function sweepDeposits(parts: SweepDepositsParts): OutgoingSource {
  return {
    ...sweepFollower({
      methods: parts.methods,
      familyOf: (network) => parts.chainOf(network).codec.family,
    }),
    propose: async (on, network, rows) => {
      try {
        return await withinTime([], proposeTimeoutMs, (signal) =>
          proposeSweeps(parts, on, network, rows, signal),
        )
      } catch (error) {
        // Withdrawals must not wait for a node that does not answer questions about sweeps.
        if (!(error instanceof NodeError)) throw error
        parts.log.warn({ network, err: error }, 'could not look for deposits to sweep, will try again')
        return []
      }
    },
  }
}

/** Updates sweeps as their outgoing transactions progress. */
export function sweepFollower(parts: FollowSweepsParts): OutgoingListener {
  return {
    kinds: ['sweep', 'top_up', 'direct_sweep', 'deploy'],
    moved: async (tx, moves) => {
      for (const move of moves) await followSweep(parts, tx, move)
    },
  }
}
