/**
 * A shop that is paid on a real litecoind, whose blocks and mempool change only when the test says so. Six
 * blocks confirm a payment.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { openLitecoin } from '../chains/litecoin-harness.ts'
import type { OpenInvoice } from './chain-flow.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { type LitecoinWallet, mineWallet } from './litecoin-wallet.ts'
import { type Litecoind, startLitecoind } from './litecoind.ts'
import { expectNoneMissed } from './search-missed.ts'
import { makeShop, type Shop, takePrices } from './shop.ts'
import { type ManualWatcher, watchManually } from './watch-manually.ts'

export interface LitecoinFlow extends ManualWatcher {
  readonly database: TestDatabase
  readonly shop: Shop
  readonly node: Litecoind
  /** A wallet that is not ours and pays invoices. */
  readonly wallet: LitecoinWallet
  /** Opens an invoice of a merchant of its own, in litecoin. */
  openInvoice(): Promise<OpenInvoice>
  /**
   * Mines one block of exactly these transactions, given in hex, then this many empty blocks, and follows
   * them.
   */
  mineAndFollow(raws?: readonly string[], emptyBlocks?: number): Promise<void>
}

export const litecoinMethodId = 5
const confirmations = 6

/**
 * The development catalogue's litecoin, with as many confirmations as a main chain's method could require.
 */
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

/**
 * Starts the node and the shop before the tests of a file.
 * @param options the options of the node, in addition to its usual ones
 */
export function useLitecoinFlow(options: readonly string[] = []): LitecoinFlow {
  const database = useDatabase()
  let made: { node: Litecoind; wallet: LitecoinWallet; reader: ChainReader; shop: Shop } | undefined
  const open = () => required(made, 'the flow, which exists inside tests only,')
  let watcher: ManualWatcher | undefined
  const openWatcher = () => {
    watcher ??= watchManually(open().shop, () => open().reader)
    return watcher
  }
  const flow: LitecoinFlow = {
    pollNew: () => openWatcher().pollNew(),
    pollOnce: () => openWatcher().pollOnce(),
    follow: () => openWatcher().follow(),
    pollMempool: () => openWatcher().pollMempool(),
    findViolations: () => openWatcher().findViolations(),
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
  afterEach(async () => expect(await flow.findViolations()).toEqual([]))
  afterEach(() => expectNoneMissed(open().shop, open().reader))
  afterAll(async () => {
    await made?.reader.close()
    await made?.node.stop()
  })
  return flow
}
