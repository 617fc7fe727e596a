/**
 * Tests that rows which differ only in their ids are claimed and returned in the order of their ids, wherever
 * the table stores them. A run with the same seed therefore does the same work in the same order.
 */
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteFormerSecrets } from '../../src/merchants/webhook-store.ts'
import { deletePlanned } from '../../src/outgoing/engine/store.ts'
import { findOverCollecting } from '../../src/outgoing/sweeps/swept-store.ts'
import { lockConfirmable } from '../../src/payments/deposits/store.ts'
import { readAttributions } from '../../src/payments/deposits/unattributed/attribution-store.ts'
import { failReplaced, restoreReplaced } from '../../src/payments/deposits/waiting/store.ts'
import { lockExpired, readFullPayments } from '../../src/payments/invoices/status-store.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { deleteOldKeys } from '../../src/platform/http/idempotency/idempotency-store.ts'
import { claimLocked } from '../../src/webhooks/claim-store.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const rows = 60
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const idsTo = (last: number) => Array.from({ length: last }, (_, index) => idOf(index + 1))
const merchantId = idOf(0)

/** Connects without foreign keys and triggers, so that a row needs no other rows. */
let superuser: pg.Client

beforeAll(async () => {
  superuser = new pg.Client({ connectionString: database.urls.superuser })
  await superuser.connect()
  await superuser.query('set session_replication_role = replica')
})

afterAll(() => superuser.end())

/**
 * Fills a table with rows whose ids descend while their storage positions ascend. `{id}` is the id of a row.
 */
async function fill(table: string, columns: string, values: string): Promise<void> {
  const id = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
  await superuser.query(`truncate ${table} cascade`)
  await superuser.query(`insert into ${table} (${columns})
    select ${values.replaceAll('{id}', id)} from generate_series(1, ${rows}) n order by n desc`)
  await superuser.query(`analyze ${table}`)
}

const within = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(database.db, work)

const depositColumns = `id, network, transfer_key, tx_hash, asset, payment_method_id, recipient, amount_minor,
  amount, inclusion, in_time_at, fee_percent_basis_points, fee_flat_minor`
const depositValues = `{id}, 'ethereum', n, 'hash ' || n, 'coin', 1, 'us', 1, 1, 1, now(), 0, 0`

it('claims deliveries that are due at the same moment in the order of their ids', async () => {
  await fill(
    'event',
    'id, merchant_id, sequence, type, subject, body',
    `{id}, '${merchantId}', n, 'a', n, '{}'`,
  )
  await fill(
    'delivery',
    'id, event_id, merchant_id, next_attempt_at',
    `{id}, {id}, '${merchantId}', timestamptz '2020-01-01'`,
  )
  const query = { merchantIds: [merchantId], perMerchant: 20, inFlightMax: 20, claimMs: 60_000 }
  const claimed = await within((tx) => claimLocked(tx, query))
  expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual(idsTo(20))
})

const invoiceColumns = 'id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids'
const invoiceValues = (type: string) => `{id}, '${merchantId}', '${type}', '1', 1, 1, array[1]`

it('takes invoices that expired at the same moment in the order of their ids', async () => {
  await fill(
    'invoice',
    `${invoiceColumns}, expires_at`,
    `${invoiceValues('onetime')}, timestamptz '2020-01-01'`,
  )
  const booked = [{ paymentMethodId: 1, bookedUntil: new Date() }]
  expect(await within((tx) => lockExpired(tx, booked, 20))).toEqual(idsTo(20))
})

it('takes ended collect invoices in the order of their ids', async () => {
  await fill(
    'invoice',
    `${invoiceColumns}, state, collect_state`,
    `${invoiceValues('collect')}, 'expired', 'collecting'`,
  )
  await fill(
    'deposit',
    `${depositColumns}, address_id, merchant_id, invoice_id, sweep_id`,
    `${depositValues}, n, '${merchantId}', {id}, '${merchantId}'`,
  )
  expect(await findOverCollecting(database.db, [], 20)).toEqual(idsTo(20))
})

it('confirms deposits of one position in a block in the order of their ids', async () => {
  await fill(
    'deposit',
    `${depositColumns}, block_height, block_hash, block_position, included_at`,
    `${depositValues}, 5, 'hash', 0, now()`,
  )
  const locked = await within((tx) => lockConfirmable(tx, 'ethereum', 9))
  expect(locked.map(({ id }) => id)).toEqual(idsTo(rows))
})

it('fails and restores payments that one block replaced in the order of their ids', async () => {
  await fill('deposit', `${depositColumns}, replaced_by, replaced_height`, `${depositValues}, 'x', 5`)
  const { failed } = await within((tx) => failReplaced(tx, 'ethereum', 9))
  expect(failed.map(({ id }) => id)).toEqual(idsTo(rows))
  const { restored } = await within((tx) => restoreReplaced(tx, 'ethereum', 4))
  expect(restored.map(({ id }) => id)).toEqual(idsTo(rows))
})

it('reads attributions and reported payments in the order of their ids', async () => {
  await fill(
    'attribution',
    'deposit_id, merchant_id, fee_percent_basis_points, fee_flat_minor',
    `{id}, '${merchantId}', 0, 0`,
  )
  const attributions = await within((tx) => readAttributions(tx, idsTo(rows)))
  expect(attributions.map(({ depositId }) => depositId)).toEqual(idsTo(rows))
  await fill('full_payment', 'invoice_id, deposit_id', `'${merchantId}', {id}`)
  const emitted = await within((tx) => readFullPayments(tx, [merchantId], idsTo(rows)))
  expect([...(emitted.get(merchantId) ?? [])]).toEqual(idsTo(rows))
})

it('returns transactions that were planned at the same moment in the order of their ids', async () => {
  await fill(
    'outgoing_transaction',
    'id, network, kind, intent, max_cost_minor, planned_at',
    `{id}, 'ethereum', 'withdrawal', '{}', 1, timestamptz '2020-01-01'`,
  )
  await fill(
    'outgoing_evm',
    'outgoing_transaction_id, network, wallet, nonce, hot_wallet, gas_limit, max_fee_per_gas, max_priority_fee_per_gas',
    `{id}, 'ethereum', 'us', n, 0, 1, 1, 1`,
  )
  const deleted = await within((tx) => deletePlanned(tx, idsTo(rows)))
  expect(deleted.map(({ id }) => id)).toEqual(idsTo(rows))
})

it('deletes keys and former secrets of the same age in the order of their ids', async () => {
  await fill(
    'idempotency_key',
    'scope_id, key, route, fingerprint, effect_id, claim_id, claimed_until, created_at',
    `{id}, 'key', 'route', decode(repeat('00', 32), 'hex'), {id}, {id}, now(), timestamptz '2020-01-01'`,
  )
  await fill(
    'webhook_endpoint',
    'merchant_id, url, sealed_secret, token, former_sealed_secret, former_valid_until',
    `{id}, 'url', '', 'token', '', timestamptz '2020-01-01'`,
  )
  await deleteOldKeys(database.db, rows - 2)
  await deleteFormerSecrets(database.db, rows - 2)
  const left = [{ id: idOf(rows - 1) }, { id: idOf(rows) }]
  expect(await database.db.query(sql`select scope_id as id from idempotency_key order by 1`)).toEqual(left)
  expect(
    await database.db.query(sql`
      select merchant_id as id from webhook_endpoint where former_valid_until is not null order by 1`),
  ).toEqual(left)
})
