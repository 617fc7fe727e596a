/** Faults that an audit found in earlier versions. Each mutant restores the faulty code. */
import { lines, type Mutant } from '../mutant.ts'

export const auditedMutants: readonly Mutant[] = [
  {
    name: 'audited/gas-burned',
    changes: [
      {
        file: 'outgoing/evm/price-gas.ts',
        from: lines(
          "  const mostGas = kind === 'sweep' ? offeredSweepGasMax(proposal, rules) : gasMax(proposal, rules)",
          "  if (estimate > mostGas) return { type: 'above', mostGas }",
        ),
        to: '  const mostGas = gasBounds[kind][1]',
      },
      {
        file: 'outgoing/withdrawals/network-costs/weigh-withdrawals.ts',
        from: 'if (isCoin ? !costed.runsCode : method.isPlain) return accepted(undefined)',
        to: 'if (isCoin || method.isPlain) return accepted(undefined)',
      },
      {
        file: 'outgoing/withdrawals/network-costs/weigh-withdrawals.ts',
        from: '  const { beyond } = await fit(parts, parts.db, network, wanted)',
        to: '  const beyond: readonly CostedOrder[] = []',
      },
      {
        file: 'outgoing/withdrawals/follow-outgoing.ts',
        from: 'return failureCharge({ amountMinor, assetDecimals: method.decimals }, costMinor, rate)',
        to: 'return 0n',
      },
    ],
    harm: 'A merchant orders payments to a contract that needs more gas than is offered: each fails on the chain, is returned whole, and the operator pays for it.',
  },
  {
    name: 'audited/paid-twice-after-snapshot',
    changes: [
      {
        file: 'outgoing/evm/recovery/compare-nonces.ts',
        from: `      if (known < end) return aheadOf(parts, wallet, \`node \${node + 1} of \${reported.length}\`, shown, known)\n`,
        to: '',
      },
      {
        file: 'signer/log/records.ts',
        from: lines(
          '        if (!isLogWhole) throw older(parts.logPath, log.length, before.log.sequence)',
          '        if (!isControlWhole) throw older(controlPath(parts.logPath), control.length, before.control.sequence)\n',
        ),
        to: '',
      },
    ],
    harm: 'After a snapshot of the whole machine is restored, an order that was already paid is paid once more from another hot wallet.',
  },
  {
    name: 'audited/one-order-blocks-everybody',
    changes: [
      {
        file: 'outgoing/evm/choose-wallets.ts',
        from: 'if (isBehind && proposal.spends !== undefined && !mayPass(proposal, book)) continue',
        to: 'if (isBehind && proposal.spends !== undefined) continue',
      },
      {
        file: 'outgoing/withdrawals/outgoing-store.ts',
        from: 'arrived.minor >= until_minor as has_arrived',
        to: 'true as has_arrived',
      },
      {
        file: 'outgoing/withdrawals/approvals/coverage.ts',
        from: 'bookedMinor - unfinalMinor - stuckMinor - promisedMinor',
        to: 'bookedMinor - unfinalMinor - promisedMinor',
      },
    ],
    harm: 'A merchant whose deposit a listed sender keeps from being swept orders more than the hot wallets hold, and every other merchant’s orders in the asset wait behind it.',
  },
  {
    name: 'audited/completed-without-transfer',
    file: 'outgoing/evm/evm-strategy.ts',
    from: "expectedTransfers: (outgoingTransaction) => transfersOf(parts, asFamily('evm', outgoingTransaction)),",
    to: 'expectedTransfers: () => [],',
    harm: 'A withdrawal of a token whose transfer moves nothing, although its transaction succeeds, is completed and its hold is taken, while the recipient gets nothing.',
  },
  {
    name: 'audited/false-credit-paid',
    changes: [
      {
        file: 'chains/quorum/agreement.ts',
        from: 'if (reports.length - others.length >= quorumSize) return { value, others }',
        to: 'return { value, others }',
      },
      {
        file: 'outgoing/withdrawals/approvals/coverage.ts',
        from: 'bookedMinor - unfinalMinor - stuckMinor - promisedMinor',
        to: 'bookedMinor - stuckMinor - promisedMinor',
      },
      {
        file: 'outgoing/engine/controls/asset-halts.ts',
        from: 'return new Set((await readAssetHalts(on)).map(({ asset }) => asset))',
        to: 'return new Set()',
      },
      {
        file: 'outgoing/engine/controls/asset-halts.ts',
        from: 'return solvency === undefined ? halted : new Set([...halted, ...solvency.short])',
        to: 'return halted',
      },
    ],
    harm: 'A transfer that one node or a token makes up is credited, and its merchant’s withdrawal is paid out of the deposits of others although the books are short.',
  },
]
