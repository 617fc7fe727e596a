/** Faults in inputs, change and fees of UTXO chains. */
import { lines, type Mutant } from '../mutant.ts'

export const utxoMutants: readonly Mutant[] = [
  {
    name: 'utxo/own-change-booked',
    file: 'payments/deposits/recording/record-outputs.ts',
    from: 'one.deposits.filter(({ transfer: { txHash } }) => !ownScripts.has(txHash))',
    to: 'one.deposits',
    harm: 'The change of each withdrawal that comes back to our own wallet is booked as new money, so the books say more than the outputs hold.',
  },
  {
    name: 'utxo/fee-counted-twice',
    file: 'outgoing/utxo/shape.ts',
    from: 'totalOf(inputs) - totalOf(paid) - fees.fee',
    to: 'totalOf(inputs) - totalOf(paid) - 2n * fees.fee',
    harm: 'Each transaction leaves twice its planned fee to the miners, which costs the operator more than planning has allowed for.',
  },
  {
    name: 'utxo/unfinal-output-spent',
    changes: [
      {
        file: 'outgoing/utxo/utxo-store.ts',
        from: `case when deposit.id is null then \${at.changeHeight}::bigint else \${at.finalHeight}::bigint end`,
        to: `\${at.height}::bigint`,
      },
      {
        file: 'outgoing/utxo/utxo-store.ts',
        from: "deposit.state = 'confirmed' and deposit.quarantine",
        to: "deposit.state in ('pending', 'confirmed') and deposit.quarantine",
      },
    ],
    harm: 'A withdrawal spends a deposit as soon as it is in a block, so a reorganisation that drops the deposit makes the withdrawals of several merchants invalid.',
  },
  {
    name: 'utxo/spent-marks-kept',
    file: 'chains/outputs/store.ts',
    from: lines(
      '  await tx.query(sql`',
      '    update own_output set spent_by = null, spent_height = null, missed_at = null',
      `    where network = \${network} and spent_height > \${height}\`)\n`,
    ),
    to: '',
    harm: 'An output that was spent only in a block that a reorganisation drops still counts as spent, so its money can never be sent.',
  },
  {
    name: 'utxo/final-one-block-early',
    file: 'outgoing/engine/engine-parts.ts',
    from: 'return finalDepth === undefined ? finalHeight : height - finalDepth + 1',
    to: 'return finalDepth === undefined ? finalHeight : height - finalDepth + 2',
    harm: 'A withdrawal counts as completed one block before it is final, when a reorganisation of the allowed depth can still drop it.',
  },
]
