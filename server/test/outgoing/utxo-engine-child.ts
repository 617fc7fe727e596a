/**
 * Runs Litecoin payouts and their signer in a process of their own, which is killed at a statement. It ends
 * when nothing is left to do.
 */
import { utxoNetworkOf } from '../../src/chains/networks.ts'
import { openChain, openUtxoSender } from '../../src/chains/open-chain.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import { utxoDraftsOf } from '../../src/chains/utxo/encoding/utxo-drafts.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import { overUtxos } from '../../src/outgoing/utxo/utxo-strategy.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { testMacs } from '../support/books-macs.ts'
import { saidLog as log, say } from '../support/child-log.ts'
import { interrupted } from '../support/interrupted.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { testOrderVerifier } from '../support/order-keys.ts'
import { openOrderedSigner } from '../support/ordered-signer.ts'
import type { OutgoingOrders } from '../support/outgoing-orders.ts'

const orders: OutgoingOrders = JSON.parse(process.env['OUTGOING_ORDERS'] ?? '')

const db = openDb({ url: orders.databaseUrl, log, macs: testMacs })
const regtest = required(utxoNetworkOf('litecoin', 'regtest'), 'the row')
const network = orders.hasWitness === false ? legacyLitecoin : regtest
const nodes = { network, urls: [orders.nodeUrl], log }
const chain = openChain(nodes)
const sender = openUtxoSender(nodes)
const { signer, keys, intentKey } = await openOrderedSigner(orders, [network])
const leaseOf = async (name: string) =>
  required(await acquireLease(db, { name, holderId: newId(), ttlMs: limits.leaseMs }), 'the lease')
const sealer = await leaseOf('sealer')
const memory = newMemory(await leaseOf(engineLease(network.name)))
const methods = paymentMethods(devPaymentMethods([]), new Set(['litecoin']))
const screening = { screenAll: async () => undefined }
const parts = overUtxos({
  log,
  network,
  chain,
  sender,
  signer,
  addresses: utxoAddressesOf(network),
  drafts: utxoDraftsOf(network),
  db: orders.interrupt === undefined ? db : interrupted(db, orders.interrupt, say),
  outgoingSources: [
    withdrawalOutgoingSource({
      db,
      methods,
      log,
      intentKey,
      orders: testOrderVerifier,
      screening,
      approvalAboveUsd: undefined,
    }),
  ],
  xpub: keys.accountOf(network.chain).xpub,
  mayUndoFinal: true,
  finalDepth: 2,
})
while ((await sealBatch(db, sealer)) > 0);
while ((await doRound(parts, memory, new AbortController().signal)) > 0);
say({ cameToRest: true })
await Promise.all([signer.close(), chain.close(), sender.close(), db.close()])
