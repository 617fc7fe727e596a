/** Faults in noticing that the database has lost records. */
import type { Mutant } from '../mutant.ts'

export const historyMutants: readonly Mutant[] = [
  {
    name: 'history/promotion-unnoticed',
    file: 'platform/incarnation/history.ts',
    from: '  if (!isSameServer(current, seen.server)) {',
    to: '  if (isBeatLost && !isSameServer(current, seen.server)) {',
    harm: 'A standby that lacks committed records takes over after all processes have stopped, and money leaves although nobody knows what is missing.',
  },
]
