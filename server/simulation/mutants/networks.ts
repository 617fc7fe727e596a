/** Faults that mix networks up, and faults in payments on a network that their invoice does not offer. */
import { lines, type Mutant } from '../mutant.ts'

export const networkMutants: readonly Mutant[] = [
  {
    name: 'networks/wrong-network-credited',
    file: 'payments/deposits/wrong-network.ts',
    from: 'return offeredMethodIds.every((id) => methods.byId(id)?.network !== network)',
    to: 'return offeredMethodIds.every((id) => methods.byId(id) === undefined)',
    harm: 'A payment on a network that its invoice does not offer is credited at once, although its merchant never accepted money of that network.',
  },
  {
    name: 'networks/credited-again',
    file: 'payments/deposits/unattributed/credit-deposit.ts',
    from: "  if (!isBookedUnattributed(deposit)) throw refuse('The payment is already credited.')\n",
    to: '',
    harm: 'A merchant that is credited at once with payments on the wrong network asks for the credit of one of them, and gets its money twice.',
  },
  {
    name: 'networks/credit-below-minimum',
    file: 'payments/deposits/wrong-network.ts',
    from: 'method.isCreditable && deposit.amountMinor >= method.minimumMinor',
    to: 'method.isCreditable',
    harm: 'A merchant credits itself payments on the wrong network that are too small to sweep, and the operator pays more for each sweep than it brings.',
  },
  {
    name: 'networks/credit-lost-in-reorganisation',
    file: 'payments/deposits/confirm-deposits.ts',
    from: '    journals: [...booked.map(({ journal }) => journal), ...attributed],',
    to: '    journals: booked.map(({ journal }) => journal).concat(attributed.slice(attributed.length)),',
    harm: 'After a reorganisation moved a payment on the wrong network to another block, the merchant that had credited itself the payment never gets its money back.',
  },
  {
    name: 'networks/quarantine-credited',
    changes: [
      {
        file: 'payments/deposits/unattributed/credit-deposit.ts',
        from: "if (deposit.quarantine === 'held' || deposit.quarantine === 'seized') {",
        to: "if (deposit.quarantine === 'seized') {",
      },
      {
        file: 'payments/deposits/wrong-network.ts',
        from: "    (quarantine ?? 'released') === 'released'",
        to: "    quarantine !== 'seized'",
      },
    ],
    harm: 'A listed sender pays on the wrong network, and the merchant credits itself the money that only an operator may release.',
  },
  {
    name: 'networks/confirmed-by-another-network',
    file: 'payments/deposits/store.ts',
    from: `where network = \${network} and state = 'pending' and block_height <= \${height}`,
    to: `where state = 'pending' and block_height <= \${height}`,
    harm: 'A payment is credited as soon as another network has more blocks than the height of its block, so that a reorganisation can still drop it.',
  },
  {
    name: 'networks/reorganisation-undoes-others',
    changes: [
      {
        file: 'payments/deposits/store.ts',
        from: `select \${depositColumns} from deposit where network = \${network} and block_height > \${height}\n`,
        to: `select \${depositColumns} from deposit where block_height > \${height}\n`,
      },
      {
        file: 'payments/deposits/store.ts',
        from: `select id from deposit where network = \${network} and block_height > \${height}\n`,
        to: `select id from deposit where block_height > \${height}\n`,
      },
    ],
    harm: 'A reorganisation of one network takes back credited payments of another network, which no block of it contains again.',
  },
  {
    name: 'networks/nonces-shared',
    file: 'outgoing/evm/wallet-store.ts',
    from: lines(
      'select max(nonce) + 1 from outgoing_evm evm',
      `                  where evm.network = \${network} and evm.wallet = wallets.wallet), 0)`,
    ),
    to: lines(
      'select max(nonce) + 1 from outgoing_evm evm',
      '                  where evm.wallet = wallets.wallet), 0)',
    ),
    harm: 'The next transaction of a hot wallet on one network gets the next nonce of its address on another, so it is never mined, and no later payment either.',
  },
  {
    name: 'networks/contract-of-another-network',
    changes: [
      {
        file: 'pricing/payment-methods/payment-method.ts',
        from: `followed.map((method) => [\`\${method.network}/\${method.contract ?? ''}\`, method]),`,
        to: 'followed.map((method) => [method.contract ?? method.network, method]),',
      },
      {
        file: 'pricing/payment-methods/payment-method.ts',
        from: `byTransferred.get(\`\${network}/\${contract ?? ''}\`)`,
        to: 'byTransferred.get(contract ?? network)',
      },
    ],
    harm: 'A token whose contract has the address of another token on another network is credited as that other token.',
  },
  {
    name: 'networks/swept-on-all-networks',
    file: 'outgoing/sweeps/swept-store.ts',
    from: lines(
      `and asset = any(\${[...params.assets]}::text[])`,
      "        and sweep_id is null and state = 'confirmed'",
    ),
    to: "and sweep_id is null and state = 'confirmed'",
    harm: 'A sweep of an address on one network counts the money at the same address on all networks as swept, which then stays there for ever.',
  },
  {
    name: 'networks/suspect-on-all-networks',
    file: 'outgoing/sweeps/deposited-store.ts',
    from: `where suspect.address_id = lying.address_id and suspect.network = \${network}\n`,
    to: 'where suspect.address_id = lying.address_id\n',
    harm: 'A listed sender who pays a little to an address on one network freezes the money of honest payers at the same address on all networks.',
  },
  {
    name: 'networks/data-fee-not-reserved',
    file: 'outgoing/evm/op-stack-fees.ts',
    from: "if (parts.network.feeModel !== 'op-stack' || proposals.length === 0) return new Map()",
    to: 'if (proposals.length >= 0) return new Map()',
    harm: 'When a payment on a rollup drains a wallet without the fee for the bytes of its transaction, no node accepts it, and all later payments of the wallet wait behind it.',
  },
]
