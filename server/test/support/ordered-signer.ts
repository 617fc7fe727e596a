/** The signer of a process that a test started: on the test's own log, with its keys. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { sandboxPolicy } from '../../src/signer/judging/policy.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import { testOrderVerifier } from './order-keys.ts'
import type { PayoutOrders } from './payout-orders.ts'
import { accountsOf, rowOf } from './signer-rows.ts'

export interface OrderedSigner {
  readonly signer: SignerCore
  readonly keys: KeyTree
  readonly intentKey: KeyObject
}

/** @param rows in place of the regtest ones */
export async function openOrderedSigner(
  orders: PayoutOrders,
  rows: readonly UtxoNetwork[] = [],
): Promise<OrderedSigner> {
  const keys = new KeyTree(orders.mnemonic, orders.lanes)
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
    coinNetwork: rowOf(rows),
    orders: testOrderVerifier,
  })
  return { signer, keys, intentKey }
}
