/** Faults in the recording, confirmation and reversal of deposits. */
import { lines, type Mutant } from '../mutant.ts'

export const depositMutants: readonly Mutant[] = [
  {
    name: 'deposits/confirmed-one-block-early',
    changes: [
      {
        file: 'payments/deposits/deposit.ts',
        from: 'return tipHeight - height + 1',
        to: 'return tipHeight - height + 2',
      },
      {
        file: 'payments/deposits/confirm-deposits.ts',
        from: 'chainStatus.height - shortest + 1',
        to: 'chainStatus.height - shortest + 2',
      },
    ],
    harm: 'A payment is credited one confirmation before the number that its worth requires, when a reorganisation can still drop it.',
  },
  {
    name: 'deposits/fee-rounded-down',
    file: 'pricing/fees/fee.ts',
    from: "basisPointsPerWhole, 'up')",
    to: "basisPointsPerWhole, 'down')",
    harm: 'The operator loses the last unit of each percentage fee that does not come out even, and merchants are credited one unit too much.',
  },
  {
    name: 'deposits/reversal-skipped',
    file: 'payments/deposits/recording/undo-blocks.ts',
    from: 'mirrorsOf(tx, [...reversals, ...confirmed.flatMap(depositReversals)])',
    to: 'mirrorsOf(tx, reversals)',
    harm: 'A credited payment that a reorganisation drops stays credited, and is credited once more when it is mined again.',
  },
  {
    name: 'deposits/quarantine-skipped',
    changes: [
      {
        file: 'payments/deposits/deposit.ts',
        from: "    if (!isAmlOk(deposit)) return { deposit, booking: 'quarantine' }\n",
        to: '',
      },
      {
        file: 'payments/deposits/deposit.ts',
        from: 'sum([...confirmed.filter(isAmlOk), ...kept]',
        to: 'sum([...confirmed, ...kept]',
      },
    ],
    harm: 'Money from a sender on a sanctions list is credited to the merchant instead of being held until an operator decides.',
  },
  {
    name: 'deposits/first-merchant-credited',
    file: 'payments/deposits/recording/value-deposits.ts',
    from: '      merchantId: watched.merchantId,',
    to: lines(
      '      merchantId:',
      '        watched.merchantId &&',
      '        seen.find((one) => one.watched.merchantId !== undefined)?.watched.merchantId,',
    ),
    harm: 'When blocks that are booked together pay several merchants, the first of these merchants is credited with the payments of all.',
  },
  {
    name: 'deposits/internal-transfer-booked',
    file: 'payments/deposits/recording/external-transfers.ts',
    from: 'return !traits.hasOutpoints && sender !== undefined && ownAddresses.has(sender)',
    to: 'return false',
    harm: 'A sweep or rebalance between wallets of ours on an EVM chain is booked as new money, so the books say more than the wallets hold.',
  },
  {
    name: 'deposits/debt-not-repaid',
    file: 'payments/deposits/recording/record-blocks.ts',
    from: '  await repayReceivable(tx, journals)\n',
    to: '',
    harm: 'A merchant that owes money after a reorganisation keeps its next payments as available balance, and the operator never gets the debt back.',
  },
  {
    name: 'deposits/subject-without-inclusion',
    file: 'payments/deposits/journals.ts',
    from: `return \`\${about}:\${id}:\${inclusion}\``,
    to: `return \`\${about}:\${id}:1\``,
    harm: 'A credited payment that a reorganisation moves to another block cannot be booked a second time, so no later block of the network is booked either.',
  },
  {
    name: 'deposits/kept-deposit-raised-twice',
    changes: [
      {
        file: 'payments/deposits/payment-store.ts',
        from: "const isKept = sql`state = 'confirmed' and below_minimum and net_minor is null`",
        to: "const isKept = sql`state = 'confirmed' and below_minimum`",
      },
      {
        file: 'payments/deposits/journals.ts',
        from: "subject: subjectOf('raised', deposit), lines })",
        to: `subject: \`\${subjectOf('raised', deposit)}:\${deposit.netMinor ?? 'first'}\`, lines })`,
      },
    ],
    harm: 'A payment below the minimum that was credited together with a second payment to its invoice is credited again, under another subject, with the third.',
  },
  {
    name: 'deposits/failed-transaction-credited',
    file: 'payments/deposits/recording/match-blocks.ts',
    from: '  await chain.requireSuccess(block, [...new Set(incoming.map(({ txHash }) => txHash))], signal)\n',
    to: '',
    harm: 'A transfer that a node reports of a transaction whose receipt says that it failed is credited to the merchant.',
  },
  {
    name: 'deposits/double-spend-unnoticed',
    file: 'payments/deposits/waiting/replace-payments.ts',
    from: '  for (const some of chunksOf(spent, limits.spentPerLookUp)) await markReplaced(tx, network, some)\n',
    to: '',
    harm: 'On a UTXO chain, an unconfirmed payment whose payer spends the same outputs elsewhere never fails: its merchant gets no event, and waits for it for ever.',
  },
  {
    name: 'deposits/altered-deposit-credited',
    file: 'payments/deposits/genuine-deposits.ts',
    from: '  if (forged.length === 0) return deposits\n',
    to: '  if (forged.length >= 0) return deposits\n',
    harm: 'Somebody who can write to the database raises a payment that waits for its confirmations, and its merchant is credited with money that nobody sent.',
  },
  {
    name: 'deposits/owner-unproven',
    file: 'payments/deposits/prove-owner.ts',
    from: '  if (assignment === undefined) return true\n',
    to: "  if (assignment === undefined || address !== '') return true\n",
    harm: 'Somebody who can write to the database gives the address of an invoice to another merchant, who is credited with what the payer sends there.',
  },
]
