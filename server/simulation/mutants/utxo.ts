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
  {
    name: 'utxo/cpfp-pays-parent-again',
    file: 'outgoing/utxo/plan-cpfp.ts',
    from: 'max(rate * (vbytes + own) - paidMinor, rate * own)',
    to: 'max(rate * (vbytes + own), rate * own)',
    harm: 'A child that pays for a stuck transaction pays also what the stuck transaction offers itself, which costs the operator the same fee twice.',
  },
  {
    name: 'utxo/input-spent-by-two',
    changes: [
      {
        file: 'outgoing/utxo/utxo-store.ts',
        from: lines(
          `        and \${isSetAside} = \${ofThoseSetAside}::boolean and not exists (`,
          '          select from outgoing_transaction_input input where input.network = own_output.network and input.outpoint = own_output.outpoint)',
          '      order by own_output.amount_minor desc',
        ),
        to: lines(
          `        and \${isSetAside} = \${ofThoseSetAside}::boolean`,
          '      order by own_output.amount_minor desc',
        ),
      },
      {
        file: 'outgoing/utxo/utxo-store.ts',
        from: lines(
          'amount_minor, key_type, key_branch, key_index)',
          '      select outgoing_transaction_id, ordinal, network, outpoint, amount_minor, key_type, key_branch, key_index',
        ),
        to: lines(
          'amount_minor, key_type, key_branch, key_index, is_released)',
          '      select outgoing_transaction_id, ordinal, network, outpoint, amount_minor, key_type, key_branch, key_index, true',
        ),
      },
      {
        file: 'outgoing/engine/terms-store.ts',
        from: lines(
          'change_index, vbytes, fee_rate, fee)',
          `      select * from jsonb_to_recordset(\${JSON.stringify(rows)}::jsonb) as row (`,
        ),
        to: lines(
          'change_index, vbytes, fee_rate, fee, is_released)',
          `      select *, true from jsonb_to_recordset(\${JSON.stringify(rows)}::jsonb) as row (`,
        ),
      },
      {
        file: 'signer/signer-core.ts',
        from: '    this.#before.requireConflict(request, asked.takes)\n',
        to: '',
      },
    ],
    harm: 'Two withdrawals that are planned before the first is mined spend the same output, so one of them is never paid and payouts halt.',
  },
  {
    name: 'utxo/recipient-pays-network-fee',
    changes: [
      {
        file: 'outgoing/utxo/utxo-strategy.ts',
        from: lines("        address: required(address, 'a cold address'),", '        amountMinor,'),
        to: lines(
          "        address: required(address, 'a cold address'),",
          '        amountMinor: back === undefined ? amountMinor : amountMinor - outgoingTransaction.fees.fee,',
        ),
      },
      {
        file: 'outgoing/utxo/utxo-strategy.ts',
        from: '    amountMinor: change.amountMinor,\n',
        to: '    amountMinor: change.amountMinor + BigInt(paid.length) * outgoingTransaction.fees.fee,\n',
      },
      {
        file: 'signer/authorization/authorize-utxos.ts',
        from: '    requireOutputs(intended, spend.outputs)\n',
        to: '',
      },
    ],
    harm: 'The network fee is taken from what the recipient of a withdrawal gets, although the operator has to pay it.',
  },
  {
    name: 'utxo/unconfirmed-credited',
    changes: [
      {
        file: 'payments/deposits/store.ts',
        from: `where network = \${network} and state = 'pending' and block_height <= \${height}`,
        to: `where network = \${network} and state = 'pending' and coalesce(block_height, 0) <= \${height}`,
      },
      {
        file: 'payments/deposits/confirm-deposits.ts',
        from: "required(candidate.blockHeight, 'the block of a deposit to confirm')",
        to: 'candidate.blockHeight ?? height',
      },
    ],
    harm: 'A payment that is only in the mempool is credited as if it had one confirmation, although its payer can still replace it.',
  },
  {
    name: 'utxo/dropped-outputs-kept',
    file: 'chains/outputs/store.ts',
    from: `  await tx.query(sql\`delete from own_output where network = \${network} and height > \${height}\`)\n`,
    to: '',
    harm: 'An output that only a dropped block made still counts as ours, so withdrawals spend money that does not exist and are never mined.',
  },
  {
    name: 'utxo/dust-change-made',
    file: 'outgoing/utxo/select-coins.ts',
    from: 'if (changeMinor < changeMin(order)) return',
    to: 'if (changeMinor <= 0n) return',
    harm: 'A withdrawal gets a change output that is too small for nodes to relay, so it is never sent.',
  },
  {
    name: 'utxo/second-output-ignored',
    file: 'payments/deposits/recording/match-blocks.ts',
    from: 'else deposits.push({ transfer, method, watched: address })',
    to: lines(
      'else if (!deposits.some((one) => one.transfer.txHash === transfer.txHash))',
      '      deposits.push({ transfer, method, watched: address })',
    ),
    harm: 'When one transaction pays several invoices, only the first of them is credited.',
  },
  {
    name: 'utxo/unfinal-change-spent',
    file: 'outgoing/utxo/utxo-parts.ts',
    from: 'parts.network.chain.canReplace ? finalHeight : cursor.height',
    to: 'cursor.height',
    harm: 'Where transactions can be replaced, a withdrawal spends change that is not final, so a reorganisation that mines another attempt makes the withdrawal invalid.',
  },
]
