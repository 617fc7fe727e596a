/**
 * A shop as in a sandbox, with two confirmations, that is paid on a real litecoind. Its books are compared
 * with the node's chain.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { openChain } from '../../src/chains/open-chain.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type LitecoinWallet, mineWallet } from './litecoin-wallet.ts'
import { type Litecoind, litecoinRegtest, useLitecoind } from './litecoind.ts'
import { type InvoiceParams, type Shop, takePrices, useShop } from './shop.ts'
import { type ManualWatcher, watchManually } from './watch-manually.ts'

export interface LitecoinShop extends ManualWatcher {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly node: Litecoind
  readonly reader: ChainReader
  /** A wallet that is not ours and pays invoices. */
  readonly wallet: LitecoinWallet
  /** Opens an invoice of a merchant of its own, in litecoin. */
  openInvoice(params?: Partial<InvoiceParams>): Promise<OpenInvoice>
  /** Mines blocks of the waiting transactions and follows them. */
  mineAndFollow(blocks?: number): Promise<void>
}

export const litecoinMethodId = 5

/**
 * Starts the node and the shop before the tests of a file.
 * @param utxo the number of payments that the external wallet can make
 * @param options the options of the node; without them the chain has no extension block (MWEB)
 * @param litecoin the network that the shop and the reader use as litecoin
 */
export function useLitecoinShop(
  utxo: number,
  options?: readonly string[],
  litecoin: UtxoNetwork = litecoinRegtest,
): LitecoinShop {
  const database = useDatabase()
  const shop = useShop(database, () => ({ networks: ['ethereum', 'litecoin'], litecoin }))
  const node = useLitecoind(options)
  let made: { readonly wallet: LitecoinWallet; readonly reader: ChainReader } | undefined
  const open = () => required(made, 'the chain, which exists inside tests only,')
  const watcher = watchManually(shop, () => open().reader)
  beforeAll(async () => {
    made = {
      wallet: await mineWallet(node, utxo),
      reader: openChain({ network: litecoin, urls: [node.url], log: silentLog }),
    }
    await watcher.follow()
  })
  beforeEach(() => takePrices(shop))
  afterAll(() => made?.reader.close())
  return {
    ...watcher,
    database,
    shop,
    node,
    findViolations: () => watcher.findViolations([{ reader: open().reader, sender: undefined }]),
    get reader() {
      return open().reader
    },
    get wallet() {
      return open().wallet
    },
    openInvoice: async (params) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId: litecoinMethodId, ...params })
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, litecoinMethodId)) }
    },
    mineAndFollow: async (blocks = 1) => {
      await node.mine(blocks)
      await watcher.follow()
    },
  }
}
