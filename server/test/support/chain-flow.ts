/**
 * A shop that is paid on a real chain: an anvil and a watcher that advance only when the test calls them.
 * After each test the books must be correct, also compared with the chain.
 */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import type { AccountSender, ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type { ComparedChain } from '../../src/oversight/verify/invariant.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { PaymentAddress } from '../../src/payments/invoices/addresses/payment-address.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/platform/db/lease.ts'
import type { TestTokens } from '../../src/sandbox/test-tokens.ts'
import { type FollowChainParts, followChain } from '../../src/watcher/follow-chain.ts'
import { devNetwork, openDevChain } from '../chains/evm-harness.ts'
import { type Anvil, useAnvil } from './anvil.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { remacQuotes } from './remac.ts'
import { expectNoneMissed } from './search-missed.ts'
import { type InvoiceParams, type Shop, takePrices, useShop } from './shop.ts'

/** An invoice of a merchant of its own, with the address and the amount to pay. */
export interface OpenInvoice extends PaymentAddress {
  readonly merchantId: string
  readonly invoiceId: string
}

export interface ChainFlow {
  readonly database: TestDatabase
  readonly anvil: Anvil
  readonly shop: Shop
  readonly reader: ChainReader
  readonly sender: AccountSender
  readonly tokens: TestTokens
  openInvoice(params?: Partial<InvoiceParams>): Promise<OpenInvoice>
  /**
   * Sends the amount due, or another amount, in USDT and returns the transaction's hash. The next block
   * includes it.
   */
  pay(invoice: OpenInvoice, amountMinor?: bigint): Promise<string>
  /** Returns the watcher's parts under `lease`. */
  partsUnder(lease: Lease, over?: Partial<FollowChainParts>): FollowChainParts
  /** Takes the watcher's lease, which must be free. */
  takeLease(): Promise<Lease>
  /** Follows the chain to its head under a lease of its own. */
  followToHead(over?: Partial<FollowChainParts>): Promise<void>
  /** Mines blocks and follows them. Two blocks credit what was sent before. */
  mineAndFollow(blocks?: number): Promise<void>
  /** Removes the last blocks from the chain. The watcher notices it once other blocks have their heights. */
  rollBack(depth: number): Promise<void>
}

const network = 'ethereum'

export function useChainFlow(): ChainFlow {
  const database = useDatabase()
  const anvil = useAnvil()
  let tokens: TestTokens | undefined
  let reader: ChainReader | undefined
  let sender: AccountSender | undefined
  beforeAll(async () => {
    tokens = await anvil.deployTokens()
    reader = openDevChain(anvil.url)
    sender = openSender({ network: devNetwork, urls: [anvil.url], log: silentLog })
  })
  const shop = useShop(database, () => ({ usdt: tokens?.USDT ?? '', usdc: tokens?.USDC ?? '' }))
  const flow = operate({
    database,
    anvil,
    shop,
    get reader() {
      return required(reader, 'the reader, which exists inside tests only,')
    },
    get sender() {
      return required(sender, 'the sender, which exists inside tests only,')
    },
    get tokens() {
      return required(tokens, 'the tokens, which exist inside tests only,')
    },
  })
  beforeAll(() => flow.followToHead())
  beforeEach(() => takePrices(shop))
  afterEach(() => expectRightBooks(flow))
  afterAll(() => Promise.all([reader?.close(), sender?.close()]))
  return flow
}

type Environment = Pick<ChainFlow, 'database' | 'anvil' | 'shop' | 'reader' | 'sender' | 'tokens'>

function operate(environment: Environment): ChainFlow {
  const { anvil, shop } = environment
  const takeLease = async () => {
    const leaseParams = { name: `watch ${network}`, holderId: newId(), ttlMs: limits.leaseMs }
    return required(await acquireLease(shop.db, leaseParams), "the watcher's lease")
  }
  const partsUnder: ChainFlow['partsUnder'] = (lease, over) => ({
    db: shop.db,
    chain: environment.reader,
    methods: shop.methods,
    feeDefaults: shop.feeDefaults,
    log: silentLog,
    lease,
    mayUndoFinal: true,
    ...over,
  })
  const followToHead: ChainFlow['followToHead'] = async (over) => {
    const lease = await takeLease()
    try {
      while ((await followChain(partsUnder(lease, over), new AbortController().signal)) > 0);
    } finally {
      await releaseLease(shop.db, lease)
    }
  }
  const added: Omit<ChainFlow, keyof Environment> = {
    takeLease,
    partsUnder,
    followToHead,
    openInvoice: async (params) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, params)
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, params?.methodId)) }
    },
    pay: ({ address, amountMinor }, otherMinor) =>
      anvil.sendToken({
        contract: environment.tokens.USDT,
        to: address,
        amountMinor: otherMinor ?? amountMinor,
      }),
    mineAndFollow: async (blocks = 1) => {
      await anvil.mine(blocks)
      await followToHead()
    },
    rollBack: (depth) => anvil.rpc('anvil_rollback', [depth]),
  }
  return Object.defineProperties(environment, Object.getOwnPropertyDescriptors(added)) as ChainFlow
}

/**
 * Expects that every invariant of the books holds, and that those which compare the books with the chain
 * could do so.
 */
export async function expectRightBooks(
  { shop, reader, sender }: ChainFlow,
  chains: readonly ComparedChain[] = [{ reader, sender }],
): Promise<void> {
  const leaseParams = { name: 'sealer', holderId: newId(), ttlMs: limits.leaseMs }
  const lease = required(await acquireLease(shop.db, leaseParams), "the sealer's lease")
  while ((await sealBatch(shop.db, lease)) > 0);
  await releaseLease(shop.db, lease)
  const report = await verify({ db: shop.db, methods: shop.methods, chains })
  const wrong = report.entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)
  expect(wrong, 'verify finds something wrong').toEqual([])
  await expectNoneMissed(shop, reader)
}

/** Moves the times of an invoice and its quotes so that the invoice ends at `expiresAt`. */
export async function endInvoiceAt(
  { database }: Pick<ChainFlow, 'database'>,
  { invoiceId }: Pick<OpenInvoice, 'invoiceId'>,
  expiresAt: Date,
): Promise<void> {
  await database.owner.query(sql`
    with moved as (select ${expiresAt}::timestamptz - expires_at as by from invoice where id = ${invoiceId}),
    requoted as (
      update quote set quoted_at = quoted_at + by, expires_at = expires_at + by from moved
      where invoice_id = ${invoiceId}
    )
    update invoice set created_at = created_at + by, expires_at = expires_at + by from moved where id = ${invoiceId}`)
  await remacQuotes(database.owner)
}

export async function headTime({ anvil }: ChainFlow): Promise<Date> {
  const { timestamp } = await anvil.rpc('eth_getBlockByNumber', ['latest', false])
  return new Date(Number(timestamp) * 1000)
}
