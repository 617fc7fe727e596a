/** Faults in nonces, gas and wallets of EVM chains. */
import { lines, type Mutant } from '../mutant.ts'

export const evmMutants: readonly Mutant[] = [
  {
    name: 'evm/in-flight-spends-ignored',
    file: 'outgoing/evm/read-wallets.ts',
    from: `(balances[at]?.[index] ?? 0n) - (spent.get(\`\${address} \${asset}\`) ?? 0n),`,
    to: 'balances[at]?.[index] ?? 0n,',
    harm: 'While a payment is under way, another one is planned with the same money of the wallet, so it fails on the chain or holds up all payments behind it.',
  },
  {
    name: 'evm/bump-too-small',
    file: 'outgoing/engine/outgoing-transaction.ts',
    from: '(minor * 9n + 7n) / 8n',
    to: '(minor * 21n + 19n) / 20n',
    harm: 'When the base fee rises above what a payment offers, its raised fee is rejected by every node, and the payment stays stuck with all payments behind it.',
  },
  {
    name: 'evm/bump-takes-new-nonce',
    changes: [
      {
        file: 'outgoing/engine/terms-store.ts',
        from: lines(
          `          max_priority_fee_per_gas = \${\`\${fees.maxPriorityFeePerGas}\`}`,
          `        where outgoing_transaction_id = \${id}`,
        ),
        to: lines(
          `          max_priority_fee_per_gas = \${\`\${fees.maxPriorityFeePerGas}\`},`,
          '          nonce = (select max(other.nonce) + 1 from outgoing_evm other',
          '            where other.network = outgoing_evm.network and other.wallet = outgoing_evm.wallet)',
          `        where outgoing_transaction_id = \${id}`,
        ),
      },
      {
        file: 'signer/authorization/signed-before.ts',
        from: 'const isSame = known?.network === network && known.input === takes[0]',
        to: 'const isSame = known?.network === network',
      },
    ],
    harm: 'A stuck payment gets its higher fee under a new nonce, so once gas is cheap again both transactions are mined and the recipient is paid twice.',
  },
  {
    name: 'evm/nonces-uncompared',
    file: 'outgoing/evm/recovery/compare-nonces.ts',
    from: `      if (known < end) return aheadOf(parts, wallet, \`node \${node + 1} of \${reported.length}\`, shown, known)\n`,
    to: '',
    harm: 'After database, signer’s log and checkpoint are restored together, an order that was already paid is paid once more from another hot wallet.',
  },
]
