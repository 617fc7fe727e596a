/**
 * A shop with watcher, engine and signer on one node, advanced step by step by the test. Nothing runs by itself,
 * so that stories are the same on every node.
 */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { addressCodecOf, openChain, openSender } from '../../../src/chains/open-chain.ts'
import type { AccountSender, ChainReader } from '../../../src/chains/port.ts'
import { spendCodecOf } from '../../../src/chains/spend-codecs.ts'
import { required } from '../../../src/core/assert.ts'
import { newId } from '../../../src/core/ids.ts'
import { limits } from '../../../src/core/limits.ts'
import { type Log, silentLog } from '../../../src/core/log.ts'
import { credit, debit, journal } from '../../../src/ledger/journal.ts'
import { post } from '../../../src/ledger/post.ts'
import { sealBatch } from '../../../src/ledger/seal.ts'
import { newMemory } from '../../../src/outgoing/engine/engine-memory.ts'
import { doRound, engineLease } from '../../../src/outgoing/engine/run.ts'
import type { AccountParts } from '../../../src/outgoing/evm/account-parts.ts'
import { overAccounts } from '../../../src/outgoing/evm/evm-strategy.ts'
import { finishSweeps } from '../../../src/outgoing/sweeps/finish-sweeps.ts'
import { sweepPolicies } from '../../../src/outgoing/sweeps/sweep.ts'
import { sweepDeposits } from '../../../src/outgoing/sweeps/sweep-deposits.ts'
import { createWithdrawal } from '../../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalOutgoingSource } from '../../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { verify } from '../../../src/oversight/verify/verify.ts'
import { acquireLease, endAllLeases, type Lease, releaseLease } from '../../../src/platform/db/lease.ts'
import { inTransaction } from '../../../src/platform/db/transaction.ts'
import { passOnce } from '../../../src/recovery/found-by-balance/run-pass.ts'
import { followChain } from '../../../src/watcher/follow-chain.ts'
import { type TestDatabase, useDatabase } from '../database.ts'
import { testOrderVerifier } from '../order-keys.ts'
import { screeningOff } from '../screening.ts'
import { type InvoiceParams, makeShop, type Shop, takePrices, testMnemonic } from '../shop.ts'
import { openTestSigner, type TestSigner } from '../signer.ts'
import { withdrawalPartsOf } from '../withdrawal-parts.ts'
import { legacyIds } from './legacy-node.ts'
import type { StoryNode } from './story-node.ts'

/** An asset of the stories: its payment method, its token, and the decimals of amounts. */
export interface StoryAsset {
  readonly methodId: number
  readonly contract: string | undefined
}

export interface StoryFlow {
  readonly node: StoryNode
  readonly database: TestDatabase
  readonly shop: Shop
  readonly reader: ChainReader
  readonly sender: AccountSender
  readonly signer: TestSigner
  readonly assets: { readonly coin: StoryAsset; readonly token: StoryAsset }
  openInvoice(asset: StoryAsset, over?: Partial<InvoiceParams>): Promise<StoryInvoice>
  /** Mines blocks and has the watcher follow them, and seals the books. */
  mine(blocks?: number): Promise<void>
  follow(): Promise<void>
  withdraw(merchantId: string, asset: StoryAsset, amount: string): Promise<StoryWithdrawal>
  stateOf(withdrawal: StoryWithdrawal): Promise<string>
  /** Returns an engine that sweeps deposits and pays withdrawals. */
  engine(over?: Partial<AccountParts>): Promise<StoryEngine>
  expectRightBooks(): Promise<void>
}

export interface StoryInvoice {
  readonly merchantId: string
  readonly invoiceId: string
  readonly address: string
  readonly amountMinor: bigint
}

export interface StoryWithdrawal {
  readonly id: string
  readonly recipient: string
}

export interface StoryEngine {
  /** Runs rounds until there is nothing to do, and finishes sweeps. */
  settle(): Promise<void>
  /** Settles and mines in turn until `isDone` returns true. */
  playUntil(isDone: () => Promise<boolean>): Promise<void>
}

const methodsOf = { ethereum: { coin: 3, token: 1 }, base: { coin: 20, token: 21 }, oldnet: legacyIds }
const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const
const hotWallets = 1
const capitalMinor = 100n * 10n ** 18n
const never = new AbortController().signal

/** Prepares a flow before the tests of a `describe`, on the node that `start` starts. */
export function useStoryFlow(start: () => Promise<StoryNode>): StoryFlow {
  const database = useDatabase()
  let flow: StoryFlow | undefined
  beforeAll(async () => {
    const node = await start()
    flow = await openFlow(database, node)
  })
  beforeEach(() => takePrices(required(flow, 'the flow').shop))
  afterAll(async () => {
    if (flow === undefined) return
    await Promise.all([flow.reader.close(), flow.sender.close(), flow.signer.close()])
    await flow.node.close()
  })
  return new Proxy({} as StoryFlow, {
    get: (_, name) => Reflect.get(required(flow, 'the flow, which exists inside tests,'), name),
  })
}

type Opened = Pick<StoryFlow, 'node' | 'database' | 'shop' | 'reader' | 'sender' | 'signer' | 'assets'>

async function openFlow(database: TestDatabase, node: StoryNode): Promise<StoryFlow> {
  const { network, dev, url } = node
  const tokens = await dev.deployTokens()
  const methods = methodsOf[network.name as keyof typeof methodsOf]
  const usdt = tokens.USDT
  const usdc = tokens.USDC
  const own = node.own?.(usdc)
  const opened: Opened = {
    node,
    database,
    shop: makeShop(database, { usdt, usdc, networks: [network.name], own: own?.methods }),
    reader: openChain({ network, urls: [url], log: silentLog }),
    sender: openSender({ network, urls: [url], log: silentLog }),
    signer: await openTestSigner({ hotWallets, mnemonic: testMnemonic, ...(own && { policy: own.policy }) }),
    assets: {
      coin: { methodId: methods.coin, contract: undefined },
      token: { methodId: methods.token, contract: methods.token === 1 ? usdt : usdc },
    },
  }
  const flow: StoryFlow = { ...opened, ...payments(opened), ...payouts(opened) }
  await fund(opened)
  await flow.follow()
  // The first round stores the hot wallets, whose balances the books are compared with.
  await (await flow.engine()).settle()
  return flow
}

/** Gives each hot wallet coin, which is booked as the operator's capital. The wallets hold no tokens. */
async function fund({ node, signer, database }: Opened): Promise<void> {
  for (const address of signer.keys.hotWallets) await node.dev.setBalance(address, capitalMinor)
  const asset = `${node.network.name}/${node.network.coin.symbol}`
  const amountMinor = capitalMinor * BigInt(hotWallets)
  const lines = [
    debit({ name: 'custody', asset }, amountMinor),
    credit({ name: 'capital', asset }, amountMinor),
  ]
  await inTransaction(database.db, (tx) =>
    post(tx, [journal({ kind: 'capital.funded', subject: 'test:capital', lines })]),
  )
}

async function leaseOf({ database }: Opened, name: string): Promise<Lease> {
  const lease = await acquireLease(database.db, { name, holderId: newId(), ttlMs: limits.leaseMs })
  return required(lease, `the lease ${name}`)
}

async function follow(opened: Opened): Promise<void> {
  const { shop, reader, node } = opened
  const { db, methods, feeDefaults } = shop
  const lease = await leaseOf(opened, `watch ${node.network.name}`)
  const watcher = { db, chain: reader, methods, feeDefaults, log: silentLog, lease, mayUndoFinal: true }
  while ((await followChain(watcher, never)) > 0);
  const sealer = await leaseOf(opened, 'sealer')
  while ((await sealBatch(db, sealer)) > 0);
  for (const one of [lease, sealer]) await releaseLease(db, one)
}

function payments(opened: Opened): Pick<StoryFlow, 'openInvoice' | 'mine' | 'follow' | 'expectRightBooks'> {
  const { node, shop, reader, sender } = opened
  return {
    openInvoice: async ({ methodId }, over) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId, ...over })
      const { address, amountMinor } = await shop.addressFor(invoiceId, methodId)
      return { merchantId, invoiceId, address: address.toLowerCase(), amountMinor }
    },
    mine: async (blocks = 1) => {
      await node.dev.mine(blocks)
      await follow(opened)
    },
    follow: () => follow(opened),
    expectRightBooks: async () => {
      await follow(opened)
      const report = await verify({ db: shop.db, methods: shop.methods, chains: [{ reader, sender }] })
      expect(report.entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)).toEqual([])
    },
  }
}

function payouts(opened: Opened): Pick<StoryFlow, 'withdraw' | 'stateOf' | 'engine'> {
  const { node, shop } = opened
  const codecOf = () => addressCodecOf(node.network)
  return {
    withdraw: async (merchantId, { methodId }, amount) => {
      const parts = withdrawalPartsOf(shop, { codecOf })
      const id = newId()
      const recipient = `0x${newId().replaceAll('-', '')}00000000`
      const input = { id, merchantId, address: recipient, amount, paymentMethodId: methodId }
      await createWithdrawal(parts, caller, input)
      await follow(opened)
      return { id, recipient }
    },
    stateOf: async ({ id }) =>
      (await shop.row<{ state: string }>(sql`select state from withdrawal where id = ${id}`)).state,
    engine: (over) => openEngine(opened, over),
  }
}

const roundsMax = 60

async function openEngine(opened: Opened, over?: Partial<AccountParts>): Promise<StoryEngine> {
  const { database, shop, reader, node } = opened
  const { db, methods } = shop
  const parts = { ...partsOf(opened), ...over }
  const round = () => doRound(overAccounts(parts), memory, never)
  // The engine of an earlier story may still hold the lease.
  await endAllLeases(database.db)
  const memory = newMemory(await leaseOf(opened, engineLease(node.network.name)))
  const finisher = finishSweeps({ db, methods, chains: [reader], log: silentLog, pollMs: 10 })
  const settle = async () => {
    for (let rounds = 0; (await round()) > 0; rounds += 1)
      if (rounds > roundsMax) throw new Error('the engine does not come to rest')
    await finisher.runBatch(never)
    // Coin is compared before it is swept where the node has no call traces.
    await compareBalances(opened)
  }
  return {
    settle,
    playUntil: async (isDone) => {
      for (let rounds = 0; !(await isDone()); rounds += 1) {
        if (rounds > roundsMax) throw new Error('what was expected does not happen')
        await settle()
        await node.dev.mine()
        await follow(opened)
      }
    },
  }
}

async function compareBalances(opened: Opened): Promise<void> {
  const { shop, reader: chain } = opened
  const { db, methods, feeDefaults } = shop
  const lease = await leaseOf(opened, `compare ${newId()}`)
  await passOnce({ db, chain, methods, feeDefaults, log: silentLog }, lease, never)
  await releaseLease(db, lease)
}

function partsOf(opened: Opened): AccountParts {
  const { shop, reader, sender, signer, node } = opened
  const { db, methods } = shop
  const log: Log = silentLog
  const codec = spendCodecOf(node.network)
  const chain = { reader, sender, codec }
  const withdrawals = withdrawalOutgoingSource({
    db,
    methods,
    log,
    intentKey: signer.intentKey,
    orders: testOrderVerifier,
    screening: screeningOff,
    approvalAboveUsd: undefined,
  })
  const sweeps = sweepDeposits({ methods, policy: sweepPolicies.sandbox, chainOf: () => chain, log })
  return {
    db,
    log,
    network: node.network,
    chain: reader,
    sender,
    codec,
    addresses: addressCodecOf(node.network),
    signer: signer.signer,
    outgoingSources: [withdrawals, sweeps],
    countedAs: (contract) => methods.byTransferred(node.network.name, contract ?? undefined),
    xpub: signer.keys.depositXpub,
    mayUndoFinal: true,
  }
}
