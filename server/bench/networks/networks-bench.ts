/**
 * Measures one watcher that follows Ethereum, a synthetic Base and a synthetic Arbitrum at once: a missed hour of
 * each network, and then blocks at the pace of the networks. The blocks were made before.
 */
import type { CloseStack } from '../../src/app/close-stack.ts'
import { startCursor } from '../../src/chains/blocks/store.ts'
import { devChainIdOf, networks } from '../../src/chains/networks.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { saveDevTokens } from '../../src/pricing/payment-methods/store.ts'
import type { BenchParts } from '../bench.ts'
import { closeAfter } from '../close-after.ts'
import { addressOf, fillShop, type PaidIn, sendWebhooksTo } from '../fill-shop.ts'
import { figure, type Measurement } from '../measurement.ts'
import { type OpenedDatabase, openPostgres } from '../open-postgres.ts'
import { openReceiver } from '../open-receiver.ts'
import { startCoffer } from '../start-coffer.ts'
import { catchUp } from './catch-up.ts'
import { followLive } from './follow-live.ts'
import { addressOf as contractOf } from './make-body.ts'
import { openMadeNode } from './open-made-node.ts'
import type { Followed, Mode, Running } from './running.ts'
import { shapes } from './shapes.ts'
import { watchBooked } from './watch-booked.ts'

/**
 * Every network has one node with `trace_block`. Every block is proven against its hash and read with all its
 * logs and traces.
 */
const whole: Mode = {
  tokensOnly: [],
  description: 'one node each, with trace_block; all blocks are proven and read whole',
}

/** Ethereum as above. The other networks are read from logs, on which two nodes agree. */
const fromLogs: Mode = {
  tokensOnly: ['base', 'arbitrum'],
  description: 'ethereum: one node with trace_block, proven; base, arbitrum: tokens only, two nodes agree',
}

/** The lengths of the two measurements, in seconds of block timestamps. */
interface Lengths {
  readonly missedS: number
  readonly liveS: number
}

const full: Lengths = { missedS: 3_600, liveS: 600 }
const quick: Lengths = { missedS: 360, liveS: 60 }
const watchedOfEach = 10_000
const merchants = 100
const never = new AbortController().signal

/** The token in which payments are made on each network, and how often. */
const payments = {
  ethereum: { methodId: 1, symbol: 'USDT', blocksPerPayment: 1 },
  base: { methodId: 21, symbol: 'USDC', blocksPerPayment: 1 },
  arbitrum: { methodId: 31, symbol: 'USDC', blocksPerPayment: 4 },
} as const

export function networksBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, fromLogs, opened))
}

export function wholeNetworksBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, whole, opened))
}

async function measureAll(
  parts: BenchParts,
  mode: Mode,
  opened: CloseStack,
): Promise<readonly Measurement[]> {
  const lengths = parts.quick ? quick : full
  const postgres = await openPostgres()
  opened.add('PostgreSQL', () => postgres.stop())
  parts.note(postgres.description)
  const database = await postgres.copy()
  opened.add('database', () => database.drop())
  const followed: Followed[] = []
  for (const index of shapes.keys()) {
    const one = await openNetwork(parts, lengths, database, index)
    opened.add(one.network, () => one.node.stop())
    followed.push(one)
  }
  const receiver = await openReceiver()
  opened.add('receiver', () => receiver.stop())
  await sendWebhooksTo(database.db, receiver.url)
  const booked = await watchBooked(database.ownerUrl)
  opened.add('listener', () => booked.stop())
  const urls = Object.fromEntries(followed.map((one) => [settingOf(one.network), urlsOf(one, mode)]))
  const [first] = followed
  const settings = { ...urls, TOKENS_ONLY_NETWORKS: mode.tokensOnly.join(',') }
  const ethereum = required(first, 'a network').node
  const coffer = await startCoffer(database, ethereum, 'watcher,dispatcher', settings)
  opened.add('Coffer', () => coffer.stop())
  const running: Running = { followed, booked, receiver, pid: coffer.pid, mode, note: parts.note }
  const measurements = [...(await catchUp(running)), ...(await followLive(running))]
  return [...measurements, memoryOf(await coffer.memoryMb())]
}

/** Makes the blocks of a network, and writes invoices that are paid on it. */
async function openNetwork(
  { seed, note }: BenchParts,
  { missedS, liveS }: Lengths,
  { db }: OpenedDatabase,
  index: number,
): Promise<Followed> {
  const shape = required(shapes[index], 'a shape')
  const { network, blockTimeMs } = shape
  const { methodId, symbol, blocksPerPayment } = payments[network]
  const symbols = symbol === 'USDT' ? ['USDT', 'USDC'] : ['USDC', 'USDT']
  const tokens = symbols.map((name) => contractOf(`${network}:${name}`))
  const paidIn: PaidIn = {
    methodId,
    network,
    family: 'evm',
    amountMinor: 10_000_000n,
    priceUsd: 10n ** 12n,
    addressOf,
  }
  const firstIndex = index * watchedOfEach
  const recipients = await fillShop(db, { seed, merchants, addresses: watchedOfEach, paidIn, firstIndex })
  await saveDevTokens(
    db,
    symbols.map((name, token) => ({ network, symbol: name, contract: tokens[token] ?? '' })),
  )
  const missedHeight = (missedS * 1_000) / blockTimeMs
  const lastHeight = missedHeight + (liveS * 1_000) / blockTimeMs
  note(
    `making ${lastHeight} blocks of ${network}, each with ${shape.transactions} transactions, ${shape.logs} logs`,
  )
  const chainId = devChainIdOf(network)
  const amountMinor = String(paidIn.amountMinor)
  const plan = { shape, chainId, tokens, height: lastHeight, blocksPerPayment, recipients, amountMinor, seed }
  const node = await openMadeNode(plan)
  const chain = openChain({ network: { ...networks[network], chainId }, urls: [node.url], log: silentLog })
  const genesis = await chain.readHead(never)
  await inTransaction(db, (tx) => startCursor(tx, network, genesis))
  await chain.close()
  return { network, node, missedHeight, lastHeight, firstIndex: index * 1_000_000 }
}

/** Returns the URLs of a network's nodes. The node has two names, so that it can stand for two nodes. */
function urlsOf({ network, node: { url } }: Followed, { tokensOnly }: Mode): string {
  return tokensOnly.includes(network) ? `${url},${url.replace('127.0.0.1', 'localhost')}` : url
}

function settingOf(network: string): string {
  return `EVM_RPC_${network.toUpperCase()}`
}

function memoryOf(measured: number): Measurement {
  const remark = `resident, one process for ${shapes.length} networks, ${figure(watchedOfEach)} watched addresses each`
  return { bar: 'memory of watcher and dispatcher', measured, unit: 'MB', remark }
}
