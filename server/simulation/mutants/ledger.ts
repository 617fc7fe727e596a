/** Faults in the books. */
import { lines, type Mutant } from '../mutant.ts'

export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'ledger/reversal-credits-again',
    file: 'ledger/journal.ts',
    from: lines('    debitMinor: creditMinor,', '    creditMinor: debitMinor,'),
    to: lines('    debitMinor,', '    creditMinor,'),
    harm: 'A payment that a reorganisation drops is credited a second time instead of being taken back, so its merchant can withdraw money that never came.',
  },
  {
    name: 'ledger/shortfall-unseen',
    file: 'ledger/post.ts',
    from: '  if (shortfalls.length > 0) throw new OverdraftError(shortfalls)',
    to: '',
    harm: 'When a reorganisation drops a payment that its merchant has already withdrawn, the database rejects the reversal each time, and no block of the network is booked any more.',
  },
  {
    name: 'ledger/repayment-above-balance',
    file: 'ledger/receivable.ts',
    from: 'const amountMinor = min(balanceIn(owed, account), balanceIn(available, account))',
    to: 'const amountMinor = balanceIn(owed, account)',
    harm: 'When a merchant owes more than its next payment brings, more is taken than there is, so the block with that payment can never be booked.',
  },
  {
    name: 'ledger/spent-gas-still-free',
    file: 'ledger/store.ts',
    from: "name in ('capital', 'fees', 'network_fees')",
    to: "name in ('capital', 'fees')",
    harm: 'Network fees are not deducted from the operator’s own coin, so once that coin is used up, the gas of payouts is paid with coin of merchants.',
  },
  {
    name: 'ledger/reversals-unsealed',
    file: 'ledger/seal.ts',
    from: '    const journals = await untilForged(tx, await findUnsealed(tx, rowsMax))',
    to: lines(
      '    const genuine = await untilForged(tx, await findUnsealed(tx, rowsMax))',
      "    const journals = genuine.filter(({ kind }) => !kind.endsWith('.reversed'))",
    ),
    harm: 'The journal that takes back a payment after a reorganisation never gets a seal, so from half a minute later on nobody’s withdrawal is planned.',
  },
]
