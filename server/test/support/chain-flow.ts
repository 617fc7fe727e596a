/**
 * A shop that is paid on a real chain: an anvil that mines when told, a watcher that takes steps when told. After
 * each test the books must be right, compared with the chain too.
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
import { devNetwork, openDevChain } from '../chains/evm-world.ts'
import { type Anvil, useAnvil } from './anvil.ts'
import { type TestDatabase, useDatabase } from './database.ts'
import { remacQuotes } from './remac.ts'
import { expectNoneMissed } from './search-missed.ts'
import { type InvoiceWish, type Shop, takePrices, useShop } from './shop.ts'

/** An invoice of a merchant of its own, with where and how much to pay. */
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
  openInvoice(wish?: Partial<InvoiceWish>): Promise<OpenInvoice>
  /** Sends the amount due, or another, in USDT; the transaction's hash. It is mined by the next block. */
  pay(invoice: OpenInvoice, amountMinor?: bigint): Promise<string>
  /** What the watcher works with under `lease`. */
  partsUnder(lease: Lease, over?: Partial<FollowChainParts>): FollowChainParts
  /** Takes the watcher's lease, which must be free. */
  takeLease(): Promise<Lease>
  /** Follows the chain to its head under a lease of its own. */
  followToHead(over?: Partial<FollowChainParts>): Promise<void>
  /** Mines blocks and follows; with two, what was sent before is credited. */
  mineAndFollow(blocks?: number): Promise<void>
  /** Takes blocks off the chain; the watcher learns of it once there are others in their place. */
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

type Ground = Pick<ChainFlow, 'database' | 'anvil' | 'shop' | 'reader' | 'sender' | 'tokens'>

function operate(ground: Ground): ChainFlow {
  const { anvil, shop } = ground
  const takeLease = async () => {
    const wish = { name: `watch ${network}`, holderId: newId(), ttlMs: limits.leaseMs }
    return required(await acquireLease(shop.db, wish), "the watcher's lease")
  }
  const partsUnder: ChainFlow['partsUnder'] = (lease, over) => ({
    db: shop.db,
    chain: ground.reader,
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
  const added: Omit<ChainFlow, keyof Ground> = {
    takeLease,
    partsUnder,
    followToHead,
    openInvoice: async (wish) => {
      const merchantId = await shop.openMerchant()
      const invoiceId = await shop.openInvoice(merchantId, wish)
      return { merchantId, invoiceId, ...(await shop.addressFor(invoiceId, wish?.methodId)) }
    },
    pay: ({ address, amountMinor }, otherMinor) =>
      anvil.sendToken({ contract: ground.tokens.USDT, to: address, amountMinor: otherMinor ?? amountMinor }),
    mineAndFollow: async (blocks = 1) => {
      await anvil.mine(blocks)
      await followToHead()
    },
    rollBack: (depth) => anvil.rpc('anvil_rollback', [depth]),
  }
  return Object.defineProperties(ground, Object.getOwnPropertyDescriptors(added)) as ChainFlow
}

/** Every invariant of the books holds, and those that compare them with the chain could do so. */
export async function expectRightBooks(
  { shop, reader, sender }: ChainFlow,
  chains: readonly ComparedChain[] = [{ reader, sender }],
): Promise<void> {
  const wish = { name: 'sealer', holderId: newId(), ttlMs: limits.leaseMs }
  const lease = required(await acquireLease(shop.db, wish), "the sealer's lease")
  while ((await sealBatch(shop.db, lease)) > 0);
  await releaseLease(shop.db, lease)
  const report = await verify({ db: shop.db, methods: shop.methods, chains })
  const wrong = report.entries.filter(({ ok, skipped }) => !ok || skipped !== undefined)
  expect(wrong, 'verify finds something wrong').toEqual([])
  await expectNoneMissed(shop, reader)
}

/** Moves the life of an invoice, its quotes included, so that it ends at `expiresAt`. */
export async function endInvoiceAt(
  { database }: ChainFlow,
  { invoiceId }: OpenInvoice,
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
