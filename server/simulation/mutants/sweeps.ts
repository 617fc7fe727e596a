/** Faults in sweeps and in treasury withdrawals of the operator. */
import type { Mutant } from '../mutant.ts'

export const sweepMutants: readonly Mutant[] = [
  {
    name: 'sweeps/later-deposit-counts-as-swept',
    file: 'outgoing/sweeps/swept-store.ts',
    from: `set sweep_id = case when id = any(\${[...takenIds]}::uuid[]) then \${sweepId}::uuid end`,
    to: `set sweep_id = \${sweepId}::uuid`,
    harm: 'A deposit that a sweep was to take but did not take, for example because the sweep failed, counts as swept and stays on its address for ever.',
  },
  {
    name: 'sweeps/sums-of-other-merchants',
    file: 'outgoing/sweeps/finish-sweeps.ts',
    from: 'booked.filter((one) => one.asset === asset && merchantOf.get(one.addressId) === merchantId)',
    to: 'booked.filter((one) => one.asset === asset)',
    harm: 'When one sweep takes the deposits of several merchants, the event of each merchant states the money of all of them.',
  },
  {
    name: 'sweeps/dropped-sweep-keeps-deposits',
    file: 'outgoing/sweeps/follow-sweeps.ts',
    from: 'const invoiceIds = await unmarkDeposits(tx, id)',
    to: 'const invoiceIds = await readSweptInvoices(tx, id)',
    harm: 'When the signer refuses a planned sweep because it costs too much, no later sweep takes its deposits, and withdrawals wait for their money.',
  },
  {
    name: 'sweeps/treasury-order-unlocked',
    file: 'outgoing/treasury/order-treasury-withdrawal.ts',
    from: '    await lockOwnMoney(tx, asset)\n',
    to: '',
    harm: 'Two treasury withdrawals that are ordered at the same moment both get the operator’s whole money, so the second is paid with money of merchants.',
  },
  {
    name: 'sweeps/treasury-takes-merchants-money',
    file: 'outgoing/treasury/own-money.ts',
    from: 'return max(0n, min(onAccountMinor, freeMinor(books)))',
    to: 'return max(0n, books.custodyMinor - withdrawingMinor[source])',
    harm: 'The treasury figures count everything in custody as the operator’s own, so an operator that withdraws what they show takes the money of merchants.',
  },
  {
    name: 'sweeps/treasury-promised-twice',
    changes: [
      {
        file: 'outgoing/treasury/own-money.ts',
        from: 'const onAccountMinor = finalMinor[source] - withdrawingMinor[source]',
        to: 'const onAccountMinor = finalMinor[source]',
      },
      {
        file: 'outgoing/treasury/own-money.ts',
        from: 'return ownMinor - withdrawingMinor.capital - withdrawingMinor.fees - openCostMinor',
        to: 'return ownMinor - openCostMinor',
      },
    ],
    harm: 'As long as a treasury withdrawal is pending, the operator can order its amount again, and the second payment is made with money of merchants.',
  },
]
