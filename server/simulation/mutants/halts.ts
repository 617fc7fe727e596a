/** Faults in halts and in what an operator does about them. */
import type { Mutant } from '../mutant.ts'

export const haltMutants: readonly Mutant[] = [
  {
    name: 'halts/lift-kept-from-signer',
    file: 'outgoing/engine/controls/active-halts.ts',
    from: '      await signer.control.lift(line)\n',
    to: '',
    harm: 'After an operator has lifted a halt, the signer still keeps it, so no withdrawal is ever paid again.',
  },
  {
    name: 'halts/asset-resume-forgotten',
    file: 'outgoing/engine/controls/asset-halts.ts',
    from: '  const halt = await deleteAssetHalt(tx, asset)\n',
    to: '  const halt = (await readAssetHalts(tx)).find((one) => one.asset === asset)\n',
    harm: 'An asset stays halted although an operator has resumed it, so its withdrawals wait for ever.',
  },
]
