/** A shop that is paid on a fake chain with outpoints, where blocks and mempool move when told. */
import { beforeAll, beforeEach } from 'vitest'
import { FakeChain, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type InvoiceWish, type Shop, takePrices, useShop } from './shop.ts'
import { type WatchByHand, watchByHand } from './watch-by-hand.ts'

export interface FakeFlow extends WatchByHand {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly chain: FakeChain
  readonly reader: ChainReader
  /** An invoice of a merchant of its own, in the network's coin. */
  openInvoice(wish?: Partial<InvoiceWish>): Promise<OpenInvoice>
  /** A transaction that pays the amount due, or another, out of a new outpoint unless told out of which. */
  payment(
    to: { readonly address: string; readonly amountMinor: bigint },
    over?: Partial<Pick<FakeTransaction, 'spends' | 'maturesAfter'>>,
  ): FakeTransaction
  /** The same, the whole amount so many times over. */
  payments(to: { readonly address: string; readonly amountMinor: bigint }, count: number): FakeTransaction
  mineAndFollow(transactions?: readonly FakeTransaction[], emptyBlocks?: number): Promise<void>
}

/** The coin of the network that the fake plays. */
export const coinMethodId = 3

export function useFakeFlow(): FakeFlow {
  const database = useDatabase()
  const shop = useShop(database)
  const chain = new FakeChain({ genesisAt: new Date(), blockTimeMs: 0 })
  const reader = openFakeReader(chain, { hasOutpoints: true })
  const hand = watchByHand(shop, () => reader)
  beforeAll(() => hand.follow())
  beforeEach(() => takePrices(shop))
  return {
    ...hand,
    database,
    shop,
    chain,
    reader,
    openInvoice: async (wish) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId: coinMethodId, ...wish })
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, coinMethodId)) }
    },
    payment: ({ address, amountMinor }, over = {}) => {
      const { spends = [chain.newOutpoint()], ...more } = over
      const asset = { type: 'coin' as const }
      const move = { asset, sender: chain.newAddress(), recipient: address.toLowerCase(), amountMinor }
      return chain.transaction([move], { spends, ...more })
    },
    payments: ({ address, amountMinor }, count) => {
      const move = { asset: { type: 'coin' as const }, sender: chain.newAddress(), amountMinor }
      const moves = Array.from({ length: count }, () => ({ ...move, recipient: address.toLowerCase() }))
      return chain.transaction(moves, { spends: [chain.newOutpoint()] })
    },
    mineAndFollow: async (transactions = [], emptyBlocks = 0) => {
      chain.mine(transactions, new Date())
      for (let block = 0; block < emptyBlocks; block += 1) chain.mine([], new Date())
      await hand.follow()
    },
  }
}
