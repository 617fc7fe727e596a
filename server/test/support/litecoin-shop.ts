/** A shop as in a sandbox, two confirmations and all, paid on a real litecoind; its books are compared with the node's. */
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
import { type InvoiceWish, type Shop, takePrices, useShop } from './shop.ts'
import { type WatchByHand, watchByHand } from './watch-by-hand.ts'

export interface LitecoinShop extends WatchByHand {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly node: Litecoind
  readonly reader: ChainReader
  /** An outsider's. */
  readonly wallet: LitecoinWallet
  /** An invoice of a merchant of its own, in litecoin. */
  openInvoice(wish?: Partial<InvoiceWish>): Promise<OpenInvoice>
  /** Mines blocks of what waits and follows. */
  mineAndFollow(blocks?: number): Promise<void>
}

export const litecoinMethodId = 5

/**
 * @param coins how many payments the outsider can make
 * @param options of the node; without them there is no extension block
 */
export function useLitecoinShop(
  coins: number,
  options?: readonly string[],
  litecoin: UtxoNetwork = litecoinRegtest,
): LitecoinShop {
  const database = useDatabase()
  const shop = useShop(database, () => ({ networks: ['ethereum', 'litecoin'], litecoin }))
  const node = useLitecoind(options)
  let made: { readonly wallet: LitecoinWallet; readonly reader: ChainReader } | undefined
  const open = () => required(made, 'the chain, which exists inside tests only,')
  const hand = watchByHand(shop, () => open().reader)
  beforeAll(async () => {
    made = {
      wallet: await mineWallet(node, coins),
      reader: openChain({ network: litecoin, urls: [node.url], log: silentLog }),
    }
    await hand.follow()
  })
  beforeEach(() => takePrices(shop))
  afterAll(() => made?.reader.close())
  return {
    ...hand,
    database,
    shop,
    node,
    findBreaches: () => hand.findBreaches([{ reader: open().reader, sender: undefined }]),
    get reader() {
      return open().reader
    },
    get wallet() {
      return open().wallet
    },
    openInvoice: async (wish) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, { methodId: litecoinMethodId, ...wish })
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, litecoinMethodId)) }
    },
    mineAndFollow: async (blocks = 1) => {
      await node.mine(blocks)
      await hand.follow()
    },
  }
}
