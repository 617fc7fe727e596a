/** The machine and the signer in a process of their own, which is killed at a statement; it ends when nothing is left to do. */
import { createSecretKey } from 'node:crypto'
import { writeSync } from 'node:fs'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { devChainIds, networks } from '../../src/chains/networks.ts'
import { openChain, openSender } from '../../src/chains/open-chain.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import type { Log } from '../../src/core/log.ts'
import { acquireLease } from '../../src/db/lease.ts'
import { openDb } from '../../src/db/pool.ts'
import { overAccounts } from '../../src/payouts/accounts/accounts-way.ts'
import { doRound, payoutsLease } from '../../src/payouts/run-payouts.ts'
import { openSession } from '../../src/payouts/session.ts'
import { KeyTree } from '../../src/signer/key-tree.ts'
import { sandboxPolicy } from '../../src/signer/policy.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import { interrupted } from '../support/interrupted.ts'
import type { PayoutOrders } from '../support/payout-orders.ts'
import { wishes } from '../support/wishes.ts'

const orders: PayoutOrders = JSON.parse(process.env['PAYOUT_ORDERS'] ?? '')

/** Written at once, since the process may be about to die. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const write = ({ err, ...fields }: Record<string, unknown>, message: string) =>
  say({ message, ...fields, ...(err instanceof Error && { error: err.name, reason: err.message }) })
const log: Log = { info: write, warn: write, error: write }

const db = openDb({ url: orders.databaseUrl, log })
const network = { ...networks.ethereum, chainId: 31337 }
const nodes = { network, urls: [orders.nodeUrl], log }
const chain = openChain(nodes)
const sender = openSender(nodes)
const keys = new KeyTree(orders.mnemonic, orders.lanes)
const signer = await SignerCore.open({
  accounts: keys.accounts('regtest'),
  keys,
  codec: spendCodecs.evm,
  logPath: orders.logPath,
  policy: sandboxPolicy,
  intentKey: createSecretKey(Buffer.from(orders.intentKey, 'hex')),
  coldAddresses: new Map(),
  coinNetwork: () => undefined,
  chainIds: () => devChainIds,
  clock: systemClock,
})
const wanted = { name: payoutsLease(network.name), holderId: newId(), ttlMs: limits.leaseMs }
const session = openSession(required(await acquireLease(db, wanted), 'the lease'))
const parts = overAccounts({
  ...{ log, network, chain, sender, signer, codec: spendCodecs.evm, addresses: evmAddresses },
  db: orders.interrupt === undefined ? db : interrupted(db, orders.interrupt, say),
  purposes: [wishes],
  xpub: keys.depositXpub,
  mayUndoFinal: true,
})
while ((await doRound(parts, session, new AbortController().signal)) > 0);
say({ cameToRest: true })
await Promise.all([signer.close(), chain.close(), sender.close(), db.close()])
