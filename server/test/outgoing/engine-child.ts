/**
 * Runs the engine and the signer in a process of their own, which is killed at a statement. It ends when
 * nothing is left to do.
 */
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { networks } from '../../src/chains/networks.ts'
import { openChain, openSender } from '../../src/chains/open-chain.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { newMemory } from '../../src/outgoing/engine/engine-memory.ts'
import { doRound, engineLease } from '../../src/outgoing/engine/run.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { testMacs } from '../support/books-macs.ts'
import { saidLog as log, say } from '../support/child-log.ts'
import { interrupted } from '../support/interrupted.ts'
import { openOrderedSigner } from '../support/ordered-signer.ts'
import type { OutgoingOrders } from '../support/outgoing-orders.ts'
import { transferRequests } from '../support/transfer-requests.ts'

const orders: OutgoingOrders = JSON.parse(process.env['OUTGOING_ORDERS'] ?? '')

const db = openDb({ url: orders.databaseUrl, log, macs: testMacs })
const network = { ...networks.ethereum, chainId: 31337 }
const nodes = { network, urls: [orders.nodeUrl], log }
const chain = openChain(nodes)
const sender = openSender(nodes)
const { signer, keys } = await openOrderedSigner(orders)
const wanted = { name: engineLease(network.name), holderId: newId(), ttlMs: limits.leaseMs }
const memory = newMemory(required(await acquireLease(db, wanted), 'the lease'))
const parts = overAccounts({
  log,
  network,
  chain,
  sender,
  signer,
  codec: spendCodecs.evm,
  addresses: evmAddresses,
  db: orders.interrupt === undefined ? db : interrupted(db, orders.interrupt, say),
  outgoingSources: [transferRequests],
  xpub: keys.depositXpub,
  mayUndoFinal: true,
})
while ((await doRound(parts, memory, new AbortController().signal)) > 0);
say({ cameToRest: true })
await Promise.all([signer.close(), chain.close(), sender.close(), db.close()])
