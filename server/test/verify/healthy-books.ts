/**
 * A small database in which everything is correct: blocks, invoices, payments with every outcome, and their
 * journals.
 */
import sql from 'sql-template-tag'
import { beforeAll } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { formatDecimal } from '../../src/core/money.ts'
import { type AccountName, credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { reverse } from '../../src/ledger/reverse.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { holdJournal, releaseJournal } from '../../src/outgoing/withdrawals/journals.ts'
import { recordAudit } from '../../src/platform/audit/store.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import type { EventType } from '../../src/platform/outbox/event.ts'
import { charge } from '../../src/pricing/fees/fee.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { type TestDatabase, useDatabase } from '../support/database.ts'
import { insertOutgoingTransaction, withdrawalIntent } from '../support/outgoing-transactions.ts'
import { remac } from '../support/remac.ts'
import { signingWallet, signPayment } from '../support/sign-payment.ts'

export const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))

export const merchantId = '0197a1f1-1111-7111-8111-111111111111'
const invoiceId = '0197a1f1-2222-7222-8222-222222222222'
const idOf = (number: number) => `0197a1f1-3333-7333-8333-00000000000${number}`
const hashOf = (height: number) => `0xb10c${height}`
export const addressOf = (number: number) => `0xadd${number}`

interface Payment {
  readonly number: number
  readonly methodId: number
  readonly amountMinor: bigint
  readonly fate: 'credited' | 'kept' | 'raised' | 'pending' | 'unattributed' | 'reverted'
}

/** Each payment goes to an address of its own, in the block of its number. */
export const payments: readonly Payment[] = [
  { number: 1, methodId: 1, amountMinor: 100_000_000n, fate: 'credited' },
  { number: 2, methodId: 3, amountMinor: 1_000_000_000_123_456_789n, fate: 'credited' },
  { number: 3, methodId: 1, amountMinor: 100_000n, fate: 'kept' },
  { number: 4, methodId: 1, amountMinor: 300_000n, fate: 'raised' },
  { number: 5, methodId: 1, amountMinor: 7_000_000n, fate: 'pending' },
  { number: 6, methodId: 2, amountMinor: 9_000_000n, fate: 'unattributed' },
  { number: 7, methodId: 1, amountMinor: 42_000_000n, fate: 'reverted' },
]

/** Each withdrawal is of 10 USDT with a fee of 0.2, out of the first payment. */
export const withdrawals = [
  { number: 1, state: 'pending' },
  { number: 2, state: 'completed' },
  { number: 3, state: 'failed' },
  { number: 4, state: 'cancelled' },
] as const

export const withdrawalIdOf = (number: number) => `0197a1f1-4444-7444-8444-00000000000${number}`
/** The hot wallet had 6 of the coin, and spent them on its one transaction. */
export const hotWalletAddress = signingWallet
/** The recipient of the withdrawals. */
export const outside = `0x${'0f'.repeat(20)}`
/** The transaction of the completed withdrawal. */
export const paid = await signPayment(0, outside, 9_800_000n)

/** Gives the file or `describe` a database with healthy books, all sealed. */
export function useSealedBooks(): TestDatabase {
  const database = useDatabase()
  beforeAll(async () => {
    await makeHealthyBooks(database.db)
    const lease = await acquireLease(database.db, { name: 'sealer', holderId: newId(), ttlMs: 60_000 })
    if (lease === undefined) throw new Error('nobody else wants this lease')
    await sealBatch(database.db, lease)
  })
  return database
}

/** Posts one more journal that belongs to no transaction: capital of an operator. */
export function postMove(db: Db, subject: string): Promise<void> {
  const asset = 'ethereum/ETH'
  const lines = [debit({ name: 'custody', asset }, 5n), credit({ name: 'capital', asset }, 5n)]
  return inTransaction(db, (tx) =>
    post(tx, [journal({ kind: 'capital', subject: `capital:${subject}`, lines })]),
  )
}

async function makeHealthyBooks(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await insertChain(tx)
    await insertInvoice(tx)
    for (const payment of payments) await insertPayment(tx, payment)
    await tx.query(sql`update invoice set state = 'paid', paid_at = now(), paid_periods = 1`)
  })
  for (const payment of payments) await book(db, payment)
  for (const withdrawal of withdrawals) await withdraw(db, withdrawal)
  await payOut(db)
  await emitEvents(db)
  await remac(db)
}

async function insertChain(tx: Tx): Promise<void> {
  for (let height = 1; height <= 9; height++) {
    await tx.query(sql`
      insert into block (network, height, hash, parent_hash, mined_at)
      values ('ethereum', ${height}, ${hashOf(height)}, ${hashOf(height - 1)}, now())`)
  }
  await tx.query(sql`
    insert into chain_cursor (network, height, hash, final_height, first_height, head_height)
    values ('ethereum', 9, ${hashOf(9)}, 5, 1, 9)`)
}

async function insertInvoice(tx: Tx): Promise<void> {
  await tx.query(sql`insert into merchant (id, name) values (${merchantId}, 'Anna')`)
  await tx.query(sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
    values (${invoiceId}, ${merchantId}, 'reusable', '100', 10000000000, 1, '{1,3}')`)
  await tx.query(sql`
    insert into quote (id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor, expires_at)
    values (${idOf(1)}, ${invoiceId}, 1, 1000000000000, now(), '[]', 100000000, now()),
      (${idOf(2)}, ${invoiceId}, 3, 2345678901234567, now(), '[]', 42632000000000000, now())`)
  await tx.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    values ('evm', 1, 'f', ${invoiceId}, now())`)
}

async function insertPayment(tx: Tx, payment: Payment): Promise<void> {
  const { number, methodId, amountMinor, fate } = payment
  const isUnattributed = fate === 'unattributed'
  // An invoice has one address for each asset. The number is also the payment method here, because only the
  // owner matters.
  const given = isUnattributed ? undefined : { merchantId, invoiceId, methodId: number, at: new Date() }
  const [address] = await tx.query<{ id: number }>(sql`
    insert into address (family, address, branch, index, mac, network, merchant_id, invoice_id, payment_method_id, assigned_at)
    values ('evm', ${addressOf(number)}, 1, ${number}, '', 'ethereum', ${given?.merchantId}, ${given?.invoiceId},
      ${given?.methodId}, ${given?.at})
    returning id`)
  const isConfirmed = fate !== 'pending' && fate !== 'reverted'
  const split = fate === 'credited' || fate === 'raised' ? splitOf(payment) : undefined
  await tx.query(sql`
    insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, recipient, amount_minor, full_minor, amount, state, inclusion, block_height, block_hash, included_at, in_time_at,
      fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, below_minimum, confirmed_at)
    values (${idOf(number)}, 'ethereum', ${`0x${number}:0`}, ${`0x${number}`}, ${assetOf(payment)}, ${methodId},
      ${address?.id}, ${isUnattributed ? null : merchantId}, ${isUnattributed ? null : invoiceId}, ${addressOf(number)},
      ${amountMinor}, ${amountMinor}, ${amountMinor}::numeric / ${unitOf(payment)}::numeric, ${isConfirmed ? 'confirmed' : 'pending'}, ${inclusionOf(payment)}, ${number},
      ${hashOf(number)}, now(), now(), 100, 100000, ${split?.feeMinor}, ${split?.netMinor},
      ${fate === 'kept' || fate === 'raised'}, ${isConfirmed ? new Date() : null})`)
}

/**
 * Returns the inclusion count, which is 2 for a reverted payment. It was confirmed once, reversed, and is in
 * a block again, not yet confirmed.
 */
function inclusionOf({ fate }: Payment): number {
  return fate === 'reverted' ? 2 : 1
}

async function book(db: Db, payment: Payment): Promise<void> {
  const { number, amountMinor, fate } = payment
  const at = `${idOf(number)}:1`
  const owner = fate === 'unattributed' ? undefined : merchantId
  const of = (name: AccountName) => ({ name, ownerId: owner, asset: assetOf(payment) })
  const { feeMinor, netMinor } = splitOf(payment)
  const split = [credit(of('available'), netMinor), credit(of('fees'), feeMinor)]
  const custody = debit(of('custody'), amountMinor)
  await inTransaction(db, async (tx) => {
    if (fate === 'credited' || fate === 'reverted') {
      const lines = [custody, ...split]
      await post(tx, [journal({ kind: 'deposit.credited', subject: `deposit:${at}`, lines })])
    }
    if (fate === 'kept' || fate === 'raised') {
      const lines = [custody, credit(of('below_minimum'), amountMinor)]
      await post(tx, [journal({ kind: 'deposit.below_minimum', subject: `below:${at}`, lines })])
    }
    if (fate === 'raised') {
      const lines = [debit(of('below_minimum'), amountMinor), ...split]
      await post(tx, [journal({ kind: 'deposit.raised', subject: `raised:${at}`, lines })])
    }
    if (fate === 'unattributed') {
      const lines = [custody, credit(of('unattributed'), amountMinor)]
      await post(tx, [journal({ kind: 'deposit.unattributed', subject: `deposit:${at}`, lines })])
    }
    if (fate === 'reverted') {
      const subject = `deposit:${at}`
      await reverse(tx, [{ subject, kind: 'deposit.credited.reversed', newSubject: `reversed:${subject}` }])
    }
  })
}

async function withdraw(db: Db, { number, state }: (typeof withdrawals)[number]): Promise<void> {
  const id = withdrawalIdOf(number)
  const asset = 'ethereum/USDT'
  const held = { id, merchantId, asset, amountMinor: 10_000_000n, feeMinor: 200_000n }
  const isPending = state === 'pending'
  await inTransaction(db, async (tx) => {
    await tx.query(sql`
      insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor,
        state, stage, tx_hash, ended_at)
      values (${id}, ${merchantId}, 1, ${asset}, ${outside}, ${held.amountMinor}, 10, ${held.feeMinor}, ${state},
        ${isPending ? 'queued' : null}, ${state === 'completed' ? paid.txHash : null}, ${isPending ? null : new Date()})`)
    await post(tx, [holdJournal(held), ...(isPending ? [] : [releaseJournal(held, state)])])
    await recordAudit(tx, {
      merchantId,
      action: 'withdrawal.requested',
      subject: id,
      details: { amount: '10', fee: '0.2', currency: 'USDT', address: outside, invoiceID: null },
    })
  })
}

/**
 * Books the completed withdrawal: it left with the first nonce of a hot wallet, in block 4, for a network fee
 * of 6.
 */
async function payOut(db: Db): Promise<void> {
  const inclusion = { height: 4, blockHash: hashOf(4), isSuccess: true, feeMinor: 6n }
  const id = withdrawalIdOf(2)
  const amounts = { netMinor: 9_800_000n, feeMinor: 200_000n }
  const intent = withdrawalIntent({ id, merchantId, asset: 'ethereum/USDT', address: outside, ...amounts })
  await insertOutgoingTransaction(db, {
    id,
    intent,
    wallet: hotWalletAddress,
    nonce: 0,
    state: 'final',
    ...paid,
    inclusion,
  })
  await db.query(
    sql`insert into hot_wallet (network, index, address) values ('ethereum', 0, ${hotWalletAddress})`,
  )
  const asset = 'ethereum/ETH'
  const funding = [debit({ name: 'custody', asset }, 6n), credit({ name: 'capital', asset }, 6n)]
  const cost = [debit({ name: 'network_fees', asset }, 6n), credit({ name: 'custody', asset }, 6n)]
  await inTransaction(db, (tx) =>
    post(tx, [
      journal({ kind: 'capital', subject: 'capital:first', lines: funding }),
      journal({ kind: 'network_fee', subject: `network-fee:${paid.txHash}`, lines: cost }),
    ]),
  )
}

/** Appends the merchant's events about its payments and withdrawals. */
async function emitEvents(db: Db): Promise<void> {
  const full = payments[0]
  if (full === undefined) throw new Error('there is a full payment')
  const event: readonly EventRow[] = [
    ...payments.flatMap(eventsOf),
    [
      'invoice.paid',
      `${invoiceId}:${idOf(full.number)}:1`,
      { amount: '100', currency: 'USDT', txHash: '0x1' },
    ],
    ...withdrawals.flatMap(({ number, state }): readonly EventRow[] => {
      if (state === 'pending') return []
      const amounts = { amount: '10', fee: '0.2', net: '9.8', currency: 'USDT', txHash: paid.txHash }
      const sent: EventRow = ['withdrawal.broadcast', withdrawalIdOf(number), amounts]
      return [
        ...(state === 'completed' ? [sent] : []),
        [`withdrawal.${state}`, withdrawalIdOf(number), amounts],
      ]
    }),
  ]
  const events = event.map(([type, subject, data]) => ({
    merchantId,
    type,
    subject,
    occurredAt: new Date(),
    data,
  }))
  await inTransaction(db, async (tx) => {
    await tx.query(sql`
      insert into full_payment (invoice_id, deposit_id) values (${invoiceId}, ${idOf(full.number)})`)
    await appendEvents(tx, events)
  })
}

/** An event: its type, its subject and its payload. */
type EventRow = readonly [EventType, string, Readonly<Record<string, unknown>>]

function eventsOf(payment: Payment): readonly EventRow[] {
  const { number, fate, methodId, amountMinor } = payment
  const { symbol = '', decimals = 0 } = methods.byId(methodId) ?? {}
  const { feeMinor, netMinor } = splitOf(payment)
  const data = {
    amount: formatDecimal(amountMinor, decimals),
    currency: symbol,
    txHash: `0x${number}`,
    invoiceID: invoiceId,
    fee: fate === 'credited' ? formatDecimal(feeMinor, decimals) : null,
    net: fate === 'credited' ? formatDecimal(netMinor, decimals) : null,
  }
  const event = (type: EventType, inclusion: number): EventRow => [type, `${idOf(number)}:${inclusion}`, data]
  switch (fate) {
    case 'unattributed':
      return []
    case 'pending':
      return [event('transaction.detected', 1)]
    case 'reverted':
      return [
        event('transaction.detected', 1),
        event('transaction.confirmed', 1),
        event('transaction.reverted', 1),
        event('transaction.detected', 2),
      ]
    default:
      return [event('transaction.detected', 1), event('transaction.confirmed', 1)]
  }
}

function unitOf({ methodId }: Payment): bigint {
  return 10n ** BigInt(methods.byId(methodId)?.decimals ?? 0)
}

function assetOf({ methodId }: Payment): string {
  return methods.byId(methodId)?.asset ?? ''
}

function splitOf({ methodId, amountMinor }: Payment) {
  const decimals = methods.byId(methodId)?.decimals ?? 0
  return charge(amountMinor, { percentBasisPoints: 100, flatMinor: 100_000n }, decimals)
}
