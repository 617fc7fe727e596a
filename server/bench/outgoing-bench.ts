/**
 * Measures outgoing transactions from the approved order onwards. Each is planned, signed by the real signer,
 * stored, and sent to a real node.
 */
import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCursor } from '../src/chains/blocks/store.ts'
import { evmAddresses } from '../src/chains/evm/address.ts'
import { networks } from '../src/chains/networks.ts'
import { openSender } from '../src/chains/open-chain.ts'
import { spendCodecs } from '../src/chains/spend-codecs.ts'
import { assert, required } from '../src/core/assert.ts'
import { systemClock } from '../src/core/clock.ts'
import { newId } from '../src/core/ids.ts'
import { silentLog } from '../src/core/log.ts'
import { credit, debit, journal } from '../src/ledger/journal.ts'
import { post } from '../src/ledger/post.ts'
import { sealBatch } from '../src/ledger/seal.ts'
import { newMemory } from '../src/outgoing/engine/engine-memory.ts'
import type { EngineParts } from '../src/outgoing/engine/engine-parts.ts'
import type { OutgoingSource, Proposal } from '../src/outgoing/engine/outgoing-source.ts'
import { doRound } from '../src/outgoing/engine/run.ts'
import { overAccounts } from '../src/outgoing/evm/evm-strategy.ts'
import { acquireLease } from '../src/platform/db/lease.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { sandboxPolicy } from '../src/signer/authorization/policy.ts'
import { KeyTree, newMnemonic } from '../src/signer/keys/key-tree.ts'
import { SignerRecords } from '../src/signer/log/records.ts'
import { SignerCore } from '../src/signer/signer-core.ts'
import type { Payment } from '../src/signing/intent.ts'
import { orderPublicKey, orderSigner, orderVerifier } from '../src/signing/order-signature.ts'
import { orderOf } from '../src/signing/ordered.ts'
import { paymentMac } from '../src/signing/payment-mac.ts'
import { openBatchCaller } from './batch-calls.ts'
import type { Bench } from './bench.ts'
import { closeAfter } from './close-after.ts'
import { type Measurement, spreadOf } from './measurement.ts'
import { type DevNode, openNode } from './open-node.ts'
import { openPostgres } from './open-postgres.ts'

const never = new AbortController().signal
const network = { ...networks.ethereum, chainId: 31337 }
const hotWallets = 16
const orderSeed = randomBytes(32)

/** The time in milliseconds at which the transaction of each order reached a state. */
type Times = Map<string, number>

export const outgoingBench: Bench = ({ quick, note }) =>
  closeAfter(async (opened) => {
    const count = quick ? 320 : 2_000
    const postgres = await openPostgres()
    opened.add('PostgreSQL', () => postgres.stop())
    note(postgres.description)
    const node = await openNode()
    opened.add('anvil', () => node.stop())
    const { db } = await postgres.copy()
    opened.add('database', () => db.close())
    const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
    opened.add('folder', () => rm(folder, { recursive: true, force: true }))
    const intentKey = createSecretKey(randomBytes(32))
    const { keys, signer } = await openSigner(folder, intentKey)
    opened.add('signer', () => signer.close())
    await fund(db, node, keys.hotWallets)
    const signedAt: Times = new Map()
    const sentAt: Times = new Map()
    const orders = Array.from({ length: count }, () => order(intentKey))
    const sender = openSender({ network, urls: [node.url], log: silentLog })
    opened.add('sender', () => sender.close())
    const parts = overAccounts({
      db,
      log: silentLog,
      network,
      chain: node.chain,
      sender,
      signer,
      codec: spendCodecs.evm,
      addresses: evmAddresses,
      xpub: keys.depositXpub,
      outgoingSources: [outgoingSourceOf(orders, signedAt, sentAt)],
      mayUndoFinal: true,
      inFlightMax: count,
    })
    note(`${count} outgoing transactions`)
    return measure(parts, count, signedAt, sentAt)
  })

async function measure(
  parts: EngineParts,
  count: number,
  signedAt: Times,
  sentAt: Times,
): Promise<readonly Measurement[]> {
  const lease = { name: 'payouts ethereum', holderId: newId(), ttlMs: 3_600_000 }
  const memory = newMemory(required(await acquireLease(parts.db, lease), 'the lease'))
  const roundsMs: number[] = []
  const startedMs = performance.now()
  while (sentAt.size < count) {
    const roundMs = performance.now()
    assert(
      (await doRound(parts, memory, never)) > 0,
      `the engine stopped after ${sentAt.size} outgoing transactions`,
    )
    roundsMs.push(performance.now() - roundMs)
  }
  const perSecond = (times: Times) => (count / (Math.max(...times.values()) - startedMs)) * 1_000
  const size = `${count} payments of the native coin, ${hotWallets} hot wallets, signer in the same process`
  return [
    {
      bar: 'outgoing transactions signed and stored',
      must: { atLeast: 200 },
      measured: perSecond(signedAt),
      unit: '/s',
      remark: size,
    },
    {
      bar: 'outgoing transactions broadcast',
      measured: perSecond(sentAt),
      unit: '/s',
      remark: `from planning to the node's answer; rounds of up to 64: ${spreadOf(roundsMs, 'ms')}`,
    },
  ]
}

async function openSigner(folder: string, intentKey: ReturnType<typeof createSecretKey>) {
  const keys = new KeyTree(newMnemonic(12), hotWallets)
  const logPath = join(folder, 'signer.log')
  const checkpointPath = join(folder, 'checkpoint')
  await SignerRecords.create(logPath, checkpointPath, keys.logKey)
  const signer = await SignerCore.open({
    accounts: keys.accounts('regtest'),
    keys,
    logPath,
    checkpointPath,
    intentKey,
    policy: sandboxPolicy,
    clock: systemClock,
    orders: orderVerifier([orderPublicKey(orderSeed)]),
    codec: spendCodecs.evm,
    coldAddresses: new Map(),
    utxoNetworkNamed: () => undefined,
  })
  return { keys, signer }
}

/**
 * Funds each hot wallet with 1,000 coins, booked as capital, and starts the list of blocks at the node's
 * newest block.
 */
async function fund(db: Db, node: DevNode, addresses: readonly string[]): Promise<void> {
  const eachMinor = 1_000n * 10n ** 18n
  const caller = openBatchCaller(node.url, 1)
  await caller.ask(
    addresses.map((address) => ({
      method: 'anvil_setBalance',
      params: [address, `0x${eachMinor.toString(16)}`],
    })),
  )
  await caller.close()
  await node.mine()
  const head = await node.chain.readHead(never)
  const asset = 'ethereum/ETH'
  const totalMinor = eachMinor * BigInt(addresses.length)
  const lines = [
    debit({ name: 'custody', asset }, totalMinor),
    credit({ name: 'capital', asset }, totalMinor),
  ]
  await inTransaction(db, async (tx) => {
    await startCursor(tx, network.name, head)
    await post(tx, [journal({ kind: 'capital.funded', subject: 'bench', lines })])
  })
  // No sealer runs in this benchmark. Outgoing transactions wait until their bookings are sealed, so the
  // books are sealed directly.
  const sealer = { name: 'sealer', holderId: newId(), ttlMs: 60_000 }
  await sealBatch(db, required(await acquireLease(db, sealer), 'the lease of the sealer'))
}

function order(intentKey: ReturnType<typeof createSecretKey>): Proposal {
  const id = newId()
  const ordered = {
    withdrawalId: id,
    merchantId: 'bench',
    asset: 'ethereum/ETH',
    contract: null,
    netMinor: 10n ** 15n,
    feeMinor: 0n,
    address: `0x${id.replaceAll('-', '')}00000000`,
    invoiceId: null,
  }
  const orderSignature = orderSigner(orderSeed).sign(network.name, orderOf(ordered))
  const payment: Omit<Payment, 'mac'> = { ...ordered, orderSignature }
  const payments = [{ ...payment, mac: paymentMac(intentKey, network.name, payment) }]
  const { asset, contract, netMinor: amountMinor } = payment
  return {
    id,
    network: network.name,
    intent: { kind: 'withdrawal', payments },
    spends: { asset, contract, amountMinor },
  }
}

function outgoingSourceOf(orders: readonly Proposal[], signedAt: Times, sentAt: Times): OutgoingSource {
  const planned = new Set<string>()
  return {
    kinds: ['withdrawal'],
    propose: async (_on, _network, max) => orders.filter(({ id }) => !planned.has(id)).slice(0, max),
    moved: async (_tx, moves) => {
      const nowMs = performance.now()
      for (const move of moves) {
        assert(move.to !== 'refused', `${'reason' in move ? move.reason : ''}`)
        if (move.to === 'planned') planned.add(move.outgoingTransaction.id)
        if (move.to === 'signed') signedAt.set(move.outgoingTransaction.id, nowMs)
        if (move.to === 'broadcast') sentAt.set(move.outgoingTransaction.id, nowMs)
      }
    },
  }
}
