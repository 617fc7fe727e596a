/**
 * A shop that is paid on a fake chain with outpoints. Blocks and the mempool change only when the test says
 * so.
 */
import { beforeAll, beforeEach } from 'vitest'
import { FakeChain, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type InvoiceParams, type Shop, takePrices, useShop } from './shop.ts'
import { type ManualWatcher, watchManually } from './watch-manually.ts'

export interface FakeFlow extends ManualWatcher {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly chain: FakeChain
  readonly reader: ChainReader
  /** Opens an invoice of a merchant of its own, in the network's coin. */
  openInvoice(params?: Partial<InvoiceParams>): Promise<OpenInvoice>
  /**
   * Returns a transaction that pays the amount due, or another amount. It spends a new outpoint unless `over`
   * names one.
   */
  payment(
    to: { readonly address: string; readonly amountMinor: bigint },
    over?: Partial<Pick<FakeTransaction, 'spends' | 'maturesAfter'>>,
  ): FakeTransaction
  /** Returns a transaction with `count` outputs that pay the whole amount each. */
  payments(to: { readonly address: string; readonly amountMinor: bigint }, count: number): FakeTransaction
  mineAndFollow(transactions?: readonly FakeTransaction[], emptyBlocks?: number): Promise<void>
}

/** The payment method of the coin on the network that the fake chain imitates. */
export const coinMethodId = 3

export function useFakeFlow(): FakeFlow {
  const database = useDatabase()
  const shop = useShop(database, () => ({ hasFinality: false }))
  const chain = new FakeChain({ genesisAt: new Date(), blockTimeMs: 0 })
  const reader = openFakeReader(chain, { hasOutpoints: true })
  const watcher = watchManually(shop, () => reader)
  beforeAll(() => watcher.follow())
  beforeEach(() => takePrices(shop))
  return {
    ...watcher,
    database,
    shop,
    chain,
    reader,
    openInvoice: async (params) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId: coinMethodId, ...params })
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
      await watcher.follow()
    },
  }
}
