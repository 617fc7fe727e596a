/** A shop that is paid on a fake chain with outpoints, where blocks and mempool move when told. */
import { beforeAll, beforeEach } from 'vitest'
import { FakeChain, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/db/lease.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { verify } from '../../src/verify/verify.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { followMempool } from '../../src/watcher/follow-mempool.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type InvoiceWish, type Shop, takePrices, useShop } from './shop.ts'

export interface FakeFlow {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly chain: FakeChain
  /** An invoice of a merchant of its own, in the network's coin. */
  openInvoice(wish?: Partial<InvoiceWish>): Promise<OpenInvoice>
  /** A transaction that pays the amount due, or another, out of new outpoints unless told which. */
  payment(
    to: { readonly address: string; readonly amountMinor: bigint },
    over?: {
      readonly amountMinor?: bigint
      readonly spends?: readonly string[]
      readonly maturesAfter?: number
    },
  ): FakeTransaction
  /** Follows the chain to its head. */
  follow(): Promise<void>
  /** Looks at all that waits. */
  look(over?: Partial<ChainReader>): Promise<void>
  mineAndFollow(transactions?: readonly FakeTransaction[], emptyBlocks?: number): Promise<void>
  /** Breaches that verify finds in the database, as sentences. */
  findBreaches(): Promise<readonly string[]>
}

/** The coin of the network that the fake plays. */
export const coinMethodId = 3

export function useFakeFlow(): FakeFlow {
  const database = useDatabase()
  const shop = useShop(database)
  const chain = new FakeChain({ genesisAt: new Date(), blockTimeMs: 0 })
  const reader = openFakeReader(chain, { hasOutpoints: true })
  const never = new AbortController().signal
  const underLease = async (work: (lease: Lease) => Promise<void>, name = `watch ${reader.network}`) => {
    const wish = { name, holderId: newId(), ttlMs: limits.leaseMs }
    const lease = required(await acquireLease(shop.db, wish), 'a lease')
    await work(lease).finally(() => releaseLease(shop.db, lease))
  }
  const partsUnder = (lease: Lease, over: Partial<ChainReader> = {}) => ({
    ...{ db: shop.db, methods: shop.methods, feeDefaults: shop.feeDefaults, log: silentLog, lease },
    chain: { ...reader, ...over },
    ...{ mayUndoFinal: false, pollMs: 1_000 },
  })
  const flow: FakeFlow = {
    database,
    shop,
    chain,
    openInvoice: async (wish) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId: coinMethodId, ...wish })
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, coinMethodId)) }
    },
    payment: ({ address, amountMinor }, over = {}) => {
      const { spends = [chain.newOutpoint()], ...more } = over
      const recipient = address.toLowerCase()
      const sender = chain.newAddress()
      const move = { asset: { type: 'coin' as const }, sender, recipient }
      return chain.transaction([{ ...move, amountMinor: more.amountMinor ?? amountMinor }], {
        spends,
        ...(more.maturesAfter !== undefined && { maturesAfter: more.maturesAfter }),
      })
    },
    follow: () =>
      underLease(async (lease) => {
        while ((await followChain(partsUnder(lease), never)) > 0);
      }),
    look: (over) =>
      underLease(async (lease) => {
        const worker = followMempool(partsUnder(lease, over))
        while ((await worker.takeAndDo(never)) > 0);
      }),
    mineAndFollow: async (transactions = [], emptyBlocks = 0) => {
      chain.mine(transactions, new Date())
      for (let block = 0; block < emptyBlocks; block += 1) chain.mine([], new Date())
      await flow.follow()
    },
    findBreaches: async () => {
      await underLease(async (lease) => {
        while ((await sealBatch(shop.db, lease)) > 0);
      }, 'sealer')
      const { entries } = await verify({ db: shop.db, methods: shop.methods })
      return entries.flatMap(({ findings }) => findings)
    },
  }
  beforeAll(() => flow.follow())
  beforeEach(() => takePrices(shop))
  return flow
}
