import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { Intent } from '../../signing/intent.ts'
import type { Proposal } from './outgoing-source.ts'

/**
 * Returns the asset and the amount that leave the sending wallet in addition to the fee; undefined if only
 * the fee leaves.
 * @param coin is the name of the network's coin in the ledger
 */
export function spentBy(intent: Intent, coin: string): Proposal['spends'] {
  switch (intent.kind) {
    case 'withdrawal': {
      const { asset, contract } = required(intent.payments[0], 'a payment')
      return { asset, contract, amountMinor: sum(intent.payments.map(({ netMinor }) => netMinor)) }
    }
    case 'top_up':
      return { asset: coin, contract: null, amountMinor: intent.amountMinor }
    case 'direct_sweep':
    case 'rebalance':
    case 'treasury_withdrawal':
      return { asset: intent.asset, contract: intent.contract, amountMinor: intent.amountMinor }
    case 'sweep':
    case 'deploy':
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      return undefined
  }
}
