/** Faults in the checks, the memory and the log of the signer. */
import type { Mutant } from '../mutant.ts'

export const signerMutants: readonly Mutant[] = [
  {
    name: 'signer/conflict-signed',
    changes: [
      {
        file: 'outgoing/engine/run.ts',
        from: '      return adoptLog(parts, memory)',
        to: '      return true',
      },
      {
        file: 'signer/signer-core.ts',
        from: '    this.#before.requireConflict(request, asked.takes)\n',
        to: '',
      },
    ],
    harm: 'After the database is restored, the signer signs an order a second time although its log has another transaction for the order or for the nonce.',
  },
  {
    name: 'signer/day-uncounted',
    file: 'signer/authorization/spending.ts',
    from: '      spent.dayMinor += more\n',
    to: '',
    harm: 'The limit for 24 hours in the operator’s policy is never reached, so whoever takes over the planner can send any amount in small payments.',
  },
  {
    name: 'signer/forgets-at-restart',
    file: 'signer/signer-core.ts',
    from: 'onSigned: (entry) => core.#replay(entry),',
    to: 'onSigned: () => {},',
    harm: 'After a restart the signer knows none of its signatures, so the limit for 24 hours starts anew and a contradiction with its log is signed.',
  },
  {
    name: 'signer/checkpoint-not-written',
    file: 'signer/log/records.ts',
    from: '    const added = await this.#log.append(entries)\n    await this.#writeCheckpoint()\n',
    to: '    const added = await this.#log.append(entries)\n',
    harm: 'A signer whose log was restored to an older copy starts and signs, because the checkpoint does not show that answered entries are missing.',
  },
  {
    name: 'signer/log-not-synced',
    file: 'signer/log/chained-log.ts',
    from: '    await this.#file.datasync()\n    await this.#position(end)\n',
    to: '    await this.#position(end)\n',
    harm: 'After a power failure the log lacks entries for which the signer has answered, so the signer does not start and everybody’s withdrawals wait.',
  },
]
