/** The signer of a process that a test started: on the test's own log, with its keys. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { devChainIds, utxoNetworkOf } from '../../src/chains/networks.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { KeyTree } from '../../src/signer/key-tree.ts'
import { sandboxPolicy } from '../../src/signer/policy.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import type { PayoutOrders } from './payout-orders.ts'

export interface OrderedSigner {
  readonly signer: SignerCore
  readonly keys: KeyTree
  readonly intentKey: KeyObject
}

export async function openOrderedSigner(orders: PayoutOrders): Promise<OrderedSigner> {
  const keys = new KeyTree(orders.mnemonic, orders.lanes)
  const intentKey = createSecretKey(Buffer.from(orders.intentKey, 'hex'))
  const signer = await SignerCore.open({
    accounts: keys.accounts('regtest'),
    ...{ keys, intentKey, codec: spendCodecs.evm, logPath: orders.logPath, policy: sandboxPolicy },
    ...{ coldAddresses: new Map(), chainIds: () => devChainIds, clock: systemClock },
    coinNetwork: (name) => utxoNetworkOf(name, 'regtest'),
  })
  return { signer, keys, intentKey }
}
