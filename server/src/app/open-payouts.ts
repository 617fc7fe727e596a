import { addressCodecOf, openSender } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import { spendCodecs } from '../chains/spend-codecs.ts'
import type { CollectedChain } from '../collections/preview-sweeps.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../db/pool.ts'
import type { Signer } from '../intents/signer-port.ts'
import { overAccounts } from '../payouts/accounts/accounts-way.ts'
import type { PayoutParts } from '../payouts/machine.ts'
import type { PayoutPurpose } from '../payouts/purpose.ts'
import type { CloseStack } from './close-stack.ts'
import type { OpenNode } from './open-node.ts'

export interface OpenPayoutsParts {
  readonly db: Db
  readonly log: Log
  readonly opened: CloseStack
  readonly nodes: readonly OpenNode[]
  readonly chains: readonly ChainReader[]
  /** Undefined where there is none: then no money leaves. */
  readonly signer: Signer | undefined
  /** The account of the deposit addresses. */
  readonly xpub: string
  readonly coldAddress: string | undefined
  readonly mayUndoFinal: boolean
  /** What money leaves for on a chain. */
  purposesOf(chain: CollectedChain): readonly PayoutPurpose[]
}

/** The outgoing machine of each network that is followed and can be paid out on. */
export function openPayouts(parts: OpenPayoutsParts): readonly PayoutParts[] {
  const { nodes, chains, signer, log, opened, purposesOf, ...rest } = parts
  if (signer === undefined) return []
  return nodes.flatMap(({ network, urls }) => {
    const chain = chains.find((one) => one.network === network.name)
    if (network.family !== 'evm' || chain === undefined) return []
    const sender = openSender({ network, urls, log })
    opened.add('chain sender', () => sender.close())
    const codec = spendCodecs[network.family]
    return overAccounts({
      ...rest,
      ...{ log, network, chain, sender, signer },
      ...{ codec, addresses: addressCodecOf(network) },
      purposes: purposesOf({ reader: chain, sender, codec }),
    })
  })
}
