import { type KeyObject, randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { networks, type UtxoNetwork } from '../../src/chains/networks.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import { utxoChains } from '../../src/chains/utxo/utxo-chains.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { addressMacKey } from '../../src/payments/invoices/addresses/address.ts'
import { AddressPool } from '../../src/payments/invoices/addresses/address-pool.ts'
import {
  givePaymentAddress,
  type PaymentAddressParts,
} from '../../src/payments/invoices/addresses/give-payment-address.ts'
import type { PaymentAddress } from '../../src/payments/invoices/addresses/payment-address.ts'
import { claimTokenKey } from '../../src/payments/invoices/claims/claim.ts'
import {
  type CreateInvoiceParts,
  createInvoice,
  openInserts,
} from '../../src/payments/invoices/create-invoice.ts'
import type { InvoiceType } from '../../src/payments/invoices/invoice.ts'
import { type FeeDefaults, feeDefaults } from '../../src/pricing/fees/fee.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { type PaymentMethod, paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import { saveRates } from '../../src/pricing/rates/store.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import type { OrderSigner } from '../../src/signing/order-signature.ts'
import type { TestDatabase } from './database.ts'
import { testOrderSigner } from './order-keys.ts'

/** What tests of payments need beside a chain: merchants, invoices, addresses and prices. */
export interface Shop extends PaymentAddressParts, Omit<CreateInvoiceParts, 'db'> {
  readonly feeDefaults: FeeDefaults
  readonly orders: OrderSigner
  openMerchant(): Promise<string>
  /** Creates an invoice, by default a onetime invoice in one method, and returns its id. */
  openInvoice(merchantId: string, over?: Partial<InvoiceParams>): Promise<string>
  /** Returns the address and the amount to pay. */
  addressFor(invoiceId: string, methodId?: number): Promise<PaymentAddress>
  /** Returns the single row of a query. */
  row<R extends object>(statement: ReturnType<typeof sql>): Promise<R>
}

export interface InvoiceParams {
  readonly type: InvoiceType
  readonly amount: string
  readonly methodId: number
  readonly moreMethodIds: readonly number[]
  readonly expiresInMinutes: number
}

export interface ShopOptions {
  readonly usdt?: string
  readonly usdc?: string
  /** The networks that the shop uses; Ethereum alone by default. */
  readonly networks?: readonly string[]
  /** Payment methods of an operator's own networks. */
  readonly own?: readonly PaymentMethod[] | undefined
  /** Set to false for an imitated chain whose nodes report no final blocks. */
  readonly hasFinality?: boolean
  /** The definition of the network litecoin; by default the regtest network. */
  readonly litecoin?: UtxoNetwork
}

export const testMnemonic = 'test test test test test test test test test test test junk'

/**
 * Returns the development catalogue with its tokens at the given contracts, whose addresses are in canonical
 * form.
 */
export function devMethods({
  usdt = `0x${'11'.repeat(20)}`,
  usdc = `0x${'22'.repeat(20)}`,
  networks: enabled = ['ethereum'],
  hasFinality,
  own = [],
}: ShopOptions = {}) {
  const tokens = [
    { network: 'ethereum', symbol: 'USDT', contract: usdt },
    { network: 'ethereum', symbol: 'USDC', contract: usdc },
    ...(enabled.includes('base') ? [{ network: 'base', symbol: 'USDC', contract: usdc }] : []),
  ]
  const all = devPaymentMethods(tokens).map((method) => ({
    ...method,
    ...(hasFinality !== undefined && { hasFinality }),
  }))
  return paymentMethods([...all, ...own], new Set(enabled))
}

/** Returns the address pools of the test phrase, on development chains. */
function makePools(
  db: TestDatabase['db'],
  macKey: KeyObject,
  { litecoin: regtest = { ...networks.litecoin, chain: utxoChains.litecoin.regtest }, own = [] }: ShopOptions,
): Shop['poolOf'] {
  const keys = new KeyTree(testMnemonic, 1)
  const made = { db, macKey, clock: systemClock, log: silentLog }
  // All EVM networks share one pool of addresses.
  const evm = new AddressPool({ ...made, codec: evmAddresses, xpub: keys.depositXpub })
  const pools = new Map([
    ['ethereum', evm],
    ['base', evm],
    ...own.map(({ network }) => [network, evm] as const),
    [
      'litecoin',
      new AddressPool({ ...made, codec: utxoAddressesOf(regtest), xpub: keys.accountOf(regtest.chain).xpub }),
    ],
  ])
  return (network) => required(pools.get(network), `the pool of ${network}`)
}

export function makeShop(database: TestDatabase, options: ShopOptions = {}): Shop {
  const { db } = database
  const methods = devMethods(options)
  const macKey = addressMacKey(randomBytes(32))
  const poolOf = makePools(db, macKey, options)
  const parts = {
    db,
    inserts: openInserts(db),
    methods,
    poolOf,
    macKey,
    paymentsOf: readPayments.bind(undefined, methods),
    claimKey: claimTokenKey(randomBytes(32)),
    allowHttpRedirect: true,
  }
  return {
    ...parts,
    feeDefaults: feeDefaults.sandbox,
    orders: testOrderSigner,
    openMerchant: async () => {
      const id = newId()
      await db.query(sql`insert into merchant (id, name) values (${id}, 'Test shop')`)
      return id
    },
    openInvoice: (
      merchantId,
      { type = 'onetime', amount = '10', methodId = 1, moreMethodIds = [], expiresInMinutes } = {},
    ) =>
      createInvoice(parts, {
        id: newId(),
        merchantId,
        type,
        amount,
        paymentMethodId: methodId,
        paymentMethodIds: moreMethodIds,
        expiresInMinutes,
      }),
    addressFor: (invoiceId, methodId = 1) => givePaymentAddress(parts, invoiceId, methodId),
    row: async <R extends object>(statement: ReturnType<typeof sql>) =>
      required((await db.query<R>(statement))[0], 'a row'),
  }
}

/** Stores the fixed prices as taken now. */
export async function takePrices(shop: Pick<Shop, 'db'>): Promise<void> {
  const prices = [...fixedReadings(['USDT', 'USDC', 'ETH', 'LTC'])].map(([symbol, readings]) => ({
    symbol,
    priceUsd: required(readings[0], 'a fixed price').priceUsd,
    sources: readings,
  }))
  await saveRates(shop.db, prices)
}

/** Opens a shop on the file's own database, with fresh prices. */
export function useShop(database: TestDatabase, options: () => ShopOptions = () => ({})): Shop {
  let shop: Shop | undefined
  beforeAll(async () => {
    shop = makeShop(database, options())
    await takePrices(shop)
  })
  return new Proxy({} as Shop, {
    get: (_target, name) => Reflect.get(required(shop, 'the shop, which exists inside tests only,'), name),
  })
}
