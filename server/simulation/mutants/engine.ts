/** Faults in the rounds that plan, sign, send and follow outgoing transactions. */
import type { Mutant } from '../mutant.ts'

export const engineMutants: readonly Mutant[] = [
  {
    name: 'engine/planned-without-lease',
    file: 'outgoing/engine/plan.ts',
    from: '    await assertLease(tx, lease)\n    const inserted',
    to: '    const inserted',
    harm: 'A process that was paused past its lease ends an order as failed and returns the money, although another process has sent the payment meanwhile.',
  },
  {
    name: 'engine/halted-without-lease',
    file: 'outgoing/engine/engine-parts.ts',
    from: '    await assertLease(tx, lease)\n    await haltOutgoing',
    to: '    await haltOutgoing',
    harm: 'A process that was paused past its lease takes payments of its successor for stolen money, and halts everybody’s withdrawals until an operator lifts the halt.',
  },
  {
    name: 'engine/halt-ignored',
    changes: [
      {
        file: 'outgoing/engine/controls/active-halts.ts',
        from: '.filter((halt) => liftOf(halt, statementKey) === undefined)',
        to: '.filter(() => false)',
      },
      {
        file: 'signer/signer-core.ts',
        from: '    this.#control.requireNoHalt(request.intent)\n',
        to: '',
      },
    ],
    harm: 'After an alarm, for example because the chain is ahead of the books, payouts go on although no operator has lifted the halt.',
  },
  {
    name: 'engine/adoption-skipped',
    file: 'outgoing/engine/run.ts',
    from: '      return adoptLog(parts, memory)',
    to: '      return true',
    harm: 'After the database is restored, what the signer’s log shows as signed is not adopted, so those orders and all later ones wait for ever.',
  },
  {
    name: 'engine/position-passes-other-networks',
    file: 'outgoing/engine/adopt-signer-log.ts',
    from: "const to = foreign === undefined ? required(entries.at(-1), 'an entry').sequence : foreign.sequence - 1",
    to: "const to = required(entries.at(-1), 'an entry').sequence",
    harm: 'With two networks, a payment that was signed but not stored when its process died is passed over by the engine of the other network, and payouts of both halt.',
  },
  {
    name: 'engine/refused-order-forgotten',
    file: 'outgoing/engine/sign.ts',
    from: 'again.map((proposal) => ({ proposal, code, detail, retryInS })),',
    to: '[],',
    harm: 'An order that the signer refuses for now, for example above a limit, is never tried again: it is neither paid nor returned.',
  },
  {
    name: 'engine/earlier-attempt-unseen',
    file: 'outgoing/engine/follow.ts',
    from: 'own.map((txHash) => ({ id, txHash })))',
    to: 'own.slice(0, 1).map((txHash) => ({ id, txHash })))',
    harm: 'When a payment’s fee was raised and the earlier bytes are mined after all, the payment is never seen as paid, and its hold stays.',
  },
  {
    name: 'engine/failed-gas-unbooked',
    file: 'outgoing/engine/follow.ts',
    from: '} else if (inclusion.feeMinor > 0n) {',
    to: '} else if (inclusion.feeMinor > 0n && inclusion.isSuccess) {',
    harm: 'The network fee of a transaction that fails on the chain is not booked, so the books say more coin than the wallets hold and its payouts halt.',
  },
  {
    name: 'engine/capital-ignored',
    changes: [
      {
        file: 'outgoing/evm/prepare-outgoing.ts',
        from: 'priced.slice(0, covered)',
        to: 'priced',
      },
      {
        file: 'outgoing/engine/plan.ts',
        from: 'if ((await readFreeCapital({ db: tx, network })) < 0n)',
        to: 'if ((await readFreeCapital({ db: tx, network })) < -(10n ** 30n))',
      },
    ],
    harm: 'When the operator’s own coin is used up, the gas of further payouts is paid with coin that belongs to merchants.',
  },
  {
    name: 'engine/dropped-payment-not-sent-again',
    file: 'outgoing/engine/receipt-steps.ts',
    from: 'const isBack = inclusion !== undefined && !isBlockCanonical',
    to: "const isBack = state === 'final' && !isBlockCanonical",
    harm: 'A payment whose block a reorganisation drops, and which no node knows afterwards, is never sent again, so its order stays pending for ever.',
  },
]
