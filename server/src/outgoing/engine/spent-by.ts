import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { Intent } from '../../signing/intent.ts'
import type { Proposal } from './purpose.ts'

/** What leaves the sending wallet beside the fee, of one asset; undefined where nothing does. @param coin as the ledger calls it */
export function spentBy(intent: Intent, coin: string): Proposal['spends'] {
  switch (intent.kind) {
    case 'withdrawal': {
      const { asset, contract } = required(intent.payments[0], 'a payment')
      return { asset, contract, amountMinor: sum(intent.payments.map(({ netMinor }) => netMinor)) }
    }
    case 'top_up':
      return { asset: coin, contract: null, amountMinor: intent.amountMinor }
    case 'forward':
    case 'rebalance':
    case 'take_out':
      return { asset: intent.asset, contract: intent.contract, amountMinor: intent.amountMinor }
    case 'sweep':
    case 'deploy':
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      return undefined
  }
}
