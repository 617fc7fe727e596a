/** The signer inside a child process of a test. It uses the test's log and keys. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import { testOrderVerifier } from './order-keys.ts'
import type { OutgoingOrders } from './outgoing-orders.ts'
import { accountsOf, rowOf } from './signer-rows.ts'

export interface OrderedSigner {
  readonly signer: SignerCore
  readonly keys: KeyTree
  readonly intentKey: KeyObject
}

/**
 * Opens the signer.
 * @param rows definitions of networks that replace the regtest networks of the same names
 */
export async function openOrderedSigner(
  orders: OutgoingOrders,
  rows: readonly UtxoNetwork[] = [],
): Promise<OrderedSigner> {
  const keys = new KeyTree(orders.mnemonic, orders.hotWallets)
  const intentKey = createSecretKey(Buffer.from(orders.intentKey, 'hex'))
  const signer = await SignerCore.open({
    accounts: accountsOf(keys, rows),
    keys,
    intentKey,
    codec: spendCodecs.evm,
    logPath: orders.logPath,
    policy: sandboxPolicy,
    coldAddresses: new Map(),
    clock: systemClock,
    utxoNetworkNamed: rowOf(rows),
    orders: testOrderVerifier,
  })
  return { signer, keys, intentKey }
}
