/** A shop that is paid on a real litecoind, where blocks and mempool move when told. Confirmations are six. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { openLitecoin } from '../chains/litecoin-world.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type LitecoinWallet, mineWallet } from './litecoin-wallet.ts'
import { type Litecoind, startLitecoind } from './litecoind.ts'
import { expectNoneMissed } from './search-missed.ts'
import { makeShop, type Shop, takePrices } from './shop.ts'
import { type WatchByHand, watchByHand } from './watch-by-hand.ts'

export interface LitecoinFlow extends WatchByHand {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly node: Litecoind
  /** An outsider's. */
  readonly wallet: LitecoinWallet
  /** An invoice of a merchant of its own, in litecoin. */
  openInvoice(): Promise<OpenInvoice>
  /** Mines one block of exactly these, in hex, and so many empty ones, and follows. */
  mineAndFollow(raws?: readonly string[], emptyBlocks?: number): Promise<void>
}

export const litecoinMethodId = 5
const confirmations = 6

/** The dev catalogue's litecoin, with as many confirmations as a main chain's could be. */
const methods = paymentMethods(
  devPaymentMethods([]).map((method) => ({
    ...method,
    confirmationTiers: [{ uptoUsd: undefined, confirmations }],
  })),
  new Set(['litecoin']),
)

function makeLitecoinShop(database: TestDatabase): Shop {
  const parts = { ...makeShop(database), methods, paymentsOf: readPayments.bind(undefined, methods) }
  return {
    ...parts,
    openInvoice: (merchantId) =>
      createInvoice(parts, {
        id: newId(),
        merchantId,
        type: 'onetime',
        amount: '10',
        expiresInMinutes: undefined,
        paymentMethodId: litecoinMethodId,
        paymentMethodIds: [],
      }),
    addressFor: (invoiceId) => givePaymentAddress(parts, invoiceId, litecoinMethodId),
  }
}

/** @param options of the node, beside its usual ones */
export function useLitecoinFlow(options: readonly string[] = []): LitecoinFlow {
  const database = useDatabase()
  let made: { node: Litecoind; wallet: LitecoinWallet; reader: ChainReader; shop: Shop } | undefined
  const open = () => required(made, 'the flow, which exists inside tests only,')
  let watcher: WatchByHand | undefined
  const hand = () => {
    watcher ??= watchByHand(open().shop, () => open().reader)
    return watcher
  }
  const flow: LitecoinFlow = {
    lookOn: () => hand().lookOn(),
    lookOnce: () => hand().lookOnce(),
    follow: () => hand().follow(),
    look: () => hand().look(),
    findBreaches: () => hand().findBreaches(),
    get database() {
      return database
    },
    get shop() {
      return open().shop
    },
    get node() {
      return open().node
    },
    get wallet() {
      return open().wallet
    },
    openInvoice: async () => {
      const { shop } = open()
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId)
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId)) }
    },
    mineAndFollow: async (raws = [], emptyBlocks = 0) => {
      const { node } = open()
      await node.mineOnly(raws)
      if (emptyBlocks > 0) await node.mine(emptyBlocks)
      await flow.follow()
    },
  }
  beforeAll(async () => {
    const node = await startLitecoind(['-vbparams=mweb:-2:0', ...options])
    const wallet = await mineWallet(node, 20)
    made = { node, wallet, reader: openLitecoin(node.url), shop: makeLitecoinShop(database) }
    await flow.follow()
  })
  beforeEach(() => takePrices(open().shop))
  afterEach(async () => expect(await flow.findBreaches()).toEqual([]))
  afterEach(() => expectNoneMissed(open().shop, open().reader))
  afterAll(async () => {
    await made?.reader.close()
    await made?.node.stop()
  })
  return flow
}
