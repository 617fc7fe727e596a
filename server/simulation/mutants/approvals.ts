/** Faults in the rule that orders above a limit wait for an operator, and in the operator's decisions. */
import type { Mutant } from '../mutant.ts'

export const approvalMutants: readonly Mutant[] = [
  {
    name: 'approvals/limit-of-net',
    file: 'outgoing/withdrawals/approvals/approval.ts',
    from: 'plus(worthOf(withdrawal.amountMinor, rule), rule.daySumUsd)',
    to: 'plus(worthOf(withdrawal.amountMinor - withdrawal.feeMinor, rule), rule.daySumUsd)',
    harm: 'The limit is compared with the amount less the fee, so orders that are a little above the limit leave without the operator’s agreement.',
  },
  {
    name: 'approvals/destination-sum-ignored',
    file: 'outgoing/withdrawals/approvals/day-sums.ts',
    from: 'return merchantUsd > addressUsd ? merchantUsd : addressUsd',
    to: 'return merchantUsd',
    harm: 'Somebody with several merchants sends any sum to one address without the operator’s agreement, because only the sum of each merchant is limited.',
  },
  {
    name: 'approvals/earlier-rounds-forgotten',
    file: 'outgoing/withdrawals/approvals/approve-withdrawals.ts',
    from: "sums: new DaySums(sumsOf('merchant'), sumsOf('address'))",
    to: 'sums: new DaySums(new Map(), new Map())',
    harm: 'A merchant that orders every few minutes sends any sum in a day without the operator’s agreement, because only orders of one round are added up.',
  },
  {
    name: 'approvals/sum-never-ends',
    file: 'outgoing/withdrawals/approvals/day-sums-store.ts',
    from: "uuid[]) and approved_at > coffer_now() - interval '24 hours'",
    to: "uuid[]) and approved_at > coffer_now() - interval '24 days'",
    harm: 'Small orders of a merchant wait for the operator for weeks after the merchant reached the limit once.',
  },
  {
    name: 'approvals/approved-order-waits',
    file: 'outgoing/withdrawals/approvals/approval.ts',
    from: 'if (withdrawal.isReleased || rule.aboveUsd === undefined)',
    to: 'if (rule.aboveUsd === undefined)',
    harm: 'An order that an operator approved waits for an operator again, so the merchant’s money stays held.',
  },
  {
    name: 'approvals/rejected-hold-kept',
    file: 'outgoing/withdrawals/approvals/decide-withdrawal.ts',
    from: '    await applyEnding(tx, ending)\n',
    to: '',
    harm: 'The amount of an order that an operator rejected stays held for ever, and its merchant is told nothing.',
  },
  {
    name: 'approvals/rejected-while-sent',
    file: 'outgoing/withdrawals/approvals/decide-withdrawal.ts',
    from: '    const { endable, errors } = await findEndable(methods, tx, [withdrawal])',
    to: "    const [endable, errors] = [[{ withdrawal, money: 'open' as const }], new Map<string, Error>()]",
    harm: 'An operator rejects an order whose transaction is already sent, so the merchant gets its money back, can spend it, and the recipient is paid as well.',
  },
]
