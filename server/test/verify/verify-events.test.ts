import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { invariants } from '../../src/oversight/verify/verify.ts'
import { termsMac } from '../../src/payments/invoices/terms/terms-mac.ts'
import { openDb, type Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { testMacs } from '../support/books-macs.ts'
import { merchantId, methods, useSealedBooks } from './healthy-books.ts'

const database = useSealedBooks()

class Undone extends Error {}

/**
 * Returns the invariants that find a change by somebody who can disable constraints. The change is rolled
 * back.
 */
async function foundAfter(statements: readonly Statement[]): Promise<readonly string[]> {
  const superuser = openDb({ url: database.urls.superuser, connections: 1, log: silentLog })
  const found = new Set<string>()
  try {
    await inTransaction(superuser, async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`)
      for (const statement of statements) await tx.query(statement)
      for (const { id, check } of invariants) {
        if ((await check({ on: tx, methods })).findings.length > 0) found.add(id)
      }
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  } finally {
    await superuser.close()
  }
  return [...found]
}

/** Deletes an event so that its number is not missing. */
function withoutEvent(type: string): readonly Statement[] {
  return [
    sql`create temporary table gone on commit drop as
        select id, sequence from event where type = ${type} order by sequence limit 1`,
    sql`delete from delivery where event_id in (select id from gone)`,
    sql`delete from event where id in (select id from gone)`,
    sql`update event set sequence = sequence - 1,
          body = (body::jsonb || jsonb_build_object('sequence', sequence - 1))::text
        where sequence > (select sequence from gone)`,
    sql`update event_counter set last_sequence = last_sequence - 1`,
  ]
}

/** Adds an event as if it were the next one. */
function invented(type: string, subject: string): readonly Statement[] {
  return [
    sql`update event_counter set last_sequence = last_sequence + 1`,
    sql`insert into event (id, merchant_id, sequence, type, subject, body)
        select id, merchant_id, last_sequence, ${type}, ${`${type}:${subject}`}, jsonb_build_object('id', id,
          'type', ${type}::text, 'merchantID', merchant_id, 'sequence', last_sequence, 'data', '{}'::jsonb)::text
        from event_counter cross join (select gen_random_uuid() as id) made`,
    sql`insert into delivery (id, event_id, merchant_id)
        select gen_random_uuid(), id, merchant_id from event where subject = ${`${type}:${subject}`}`,
  ]
}

const unknownId = '0197a1f1-9999-7999-8999-999999999999'
const payment = (number: number) => `0197a1f1-3333-7333-8333-00000000000${number}`
const withdrawal = (number: number) => `0197a1f1-4444-7444-8444-00000000000${number}`
const invoice = '0197a1f1-2222-7222-8222-222222222222'
const ended = (state: string) => sql`
  update delivery set state = ${state}, ended_at = now() where id = (select id from delivery order by id limit 1)`
const firstDelivery = sql`id = (select id from delivery order by id limit 1)`

const anotherInvoice = (state: string, periods: number, at: string | null) => sql`
  insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, state,
    paid_periods, paid_at, expires_at, claimed_at, terms_mac)
  values (${unknownId}, ${merchantId}, 'withdraw', '1', 100000000, 1, '{1}', ${state}, ${periods}, ${at}, now() - interval '1 hour', null,
    ${termsMac(testMacs, { id: unknownId, merchantId, type: 'withdraw', amount: '1', amountUsd: 100_000_000n })})`

const saysOfInvoice = (field: 'type' | 'reference', text: string) => sql`
  update event set body = jsonb_set(body::jsonb, ${`{data,${field}}`}::text[], to_jsonb(${text}::text))::text
  where type = 'invoice.paid'`

describe.each<[string, readonly Statement[], readonly string[]]>([
  ['nothing', [], []],
  ...(
    [
      'transaction.detected',
      'transaction.confirmed',
      'withdrawal.broadcast',
      'withdrawal.completed',
      'withdrawal.failed',
      'withdrawal.cancelled',
      'invoice.paid',
    ] as const
  ).map((type): [string, readonly Statement[], readonly string[]] => [
    `an event ${type} deleted without a trace`,
    withoutEvent(type),
    ['M14'],
  ]),
  ['an event deleted that nothing needs', withoutEvent('transaction.reverted'), ['M14-states']],
  [
    'a withdraw invoice paid without an event',
    [anotherInvoice('paid', 1, '2026-01-01')],
    ['M16-counts', 'M14'],
  ],
  ['an invoice expired without an event', [anotherInvoice('expired', 0, null)], ['M16-counts', 'M14']],
  ['an invoice taken back without an event', [anotherInvoice('pending', 1, null)], ['M16-counts', 'M14']],
  [
    'an invoice paid again of whose first time nothing was told',
    [anotherInvoice('paid', 2, '2026-01-01'), ...invented('invoice.paid', `${unknownId}:2`)],
    ['M16-counts', 'M14', 'M14-bodies'],
  ],
  [
    'an invoice that fell short, whose expiry alone was told',
    [
      anotherInvoice('expired', 0, null),
      sql`update invoice set exceptions = '{underpaid}' where id = ${unknownId}`,
      ...invented('invoice.expired', `${unknownId}:0`),
      sql`update event set body = jsonb_set(body::jsonb, '{data}', '{"exceptions": ["underpaid"]}')::text
          where type = 'invoice.expired'`,
    ],
    ['M16-counts', 'M14', 'M14-bodies'],
  ],
  [
    'a payment mined again of whose first block nothing was told',
    [
      sql`update deposit set inclusion = 2 where id = ${payment(5)}`,
      sql`update event set subject = ${`transaction.detected:${payment(5)}:2`} where subject = ${`transaction.detected:${payment(5)}:1`}`,
    ],
    ['M14'],
  ],
  [
    'a deposit put into quarantine without an event',
    [
      sql`update deposit set quarantine = 'held', aml_verdict = 'listed', net_minor = null, fee_minor = null
          where id = ${payment(1)}`,
    ],
    ['M9', 'M7-quarantine', 'M16', 'M16-days', 'M14', 'M14-states'],
  ],
  [
    'a collection completed without an event',
    [
      sql`insert into merchant_sweep (id, merchant_id, network, asset, payment_method_id, sweep_id, amount_minor, amount,
            transactions, state, tx_hash, ended_at)
          values (${unknownId}, ${merchantId}, 'ethereum', 'ethereum/USDT', 1, ${unknownId}, 1, 1, 1, 'completed', '0x1', now())`,
    ],
    ['M14'],
  ],
  [
    'a webhook disabled without an event',
    [
      sql`insert into webhook_endpoint (merchant_id, url, sealed_secret, token, disabled_at, disabled_reason)
          values (${merchantId}, 'https://shop.example', '', 'wh_1', now(), 'gone')`,
    ],
    ['M14', 'M23-webhooks'],
  ],
  ['a full payment taken back without an event', [sql`delete from full_payment`], ['M14']],
  [
    'an event of a payment that is not there',
    invented('transaction.detected', `${unknownId}:1`),
    ['M14-states'],
  ],
  [
    'an event of a payment that was not taken back',
    invented('transaction.reverted', `${payment(1)}:1`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of a payment that is not confirmed',
    invented('transaction.confirmed', `${payment(5)}:1`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of an inclusion that never was',
    invented('transaction.detected', `${payment(5)}:2`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of a payment that is not held',
    invented('transaction.quarantined', `${payment(1)}:1`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'a payment that failed without an event',
    [
      sql`update deposit set state = 'failed', failures = 1, block_height = null, block_hash = null,
           included_at = null, replaced_by = '0xother', replaced_height = 8 where id = ${payment(5)}`,
    ],
    ['M16-deposits', 'M14', 'M14-states'],
  ],
  [
    'an event of a payment that did not fail',
    invented('transaction.failed', `${payment(5)}:1:1`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'a payment that a mempool held, missing',
    [sql`update deposit set first_seen_at = now() where id = ${payment(5)}`],
    ['M14'],
  ],
  [
    'an event about no number',
    invented('transaction.detected', `${payment(1)}:x`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of a withdrawal that goes on',
    invented('withdrawal.completed', withdrawal(1)),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of a withdrawal that was not sent',
    invented('withdrawal.broadcast', withdrawal(3)),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of an invoice that has not expired',
    invented('invoice.expired', `${invoice}:1`),
    ['M14-states', 'M14-bodies'],
  ],
  [
    'an event of a payment that pays nothing',
    invented('invoice.paid', `${invoice}:${payment(5)}:1`),
    ['M14', 'M14-bodies'],
  ],
  ['an event of a collection that is not there', invented('collection.completed', unknownId), ['M14-states']],
  ['an event of no known type', invented('invoice.forgotten', invoice), ['M14-states']],
  [
    'an event given to another merchant',
    [
      sql`insert into merchant (id, name) values (${unknownId}, 'Eve')`,
      ...invented('webhook.test', unknownId),
      sql`update event set merchant_id = ${unknownId}, sequence = 1 where type = 'withdrawal.cancelled'`,
    ],
    ['M14', 'M14-states', 'M14-order', 'M14-sent'],
  ],
  [
    'a number left out',
    [
      sql`update event set sequence = sequence + 100 where sequence >= 3`,
      sql`update event set sequence = sequence - 99, body = (body::jsonb || jsonb_build_object('sequence', sequence - 99))::text
          where sequence >= 103`,
      sql`update event_counter set last_sequence = last_sequence + 1`,
    ],
    ['M14-order'],
  ],
  [
    'a number promised and not given',
    [sql`update event_counter set last_sequence = last_sequence + 1`],
    ['M14-order'],
  ],
  ['a counter deleted', [sql`delete from event_counter`], ['M14-order']],
  [
    'the bytes of an event',
    [sql`update event set body = replace(body, '"sequence":2', '"sequence":9') where sequence = 2`],
    ['M14-order'],
  ],
  ['the type of an invoice as its event told it', [saysOfInvoice('type', 'collect')], ['M14-bodies']],
  [
    'the reference of an invoice as its event told it',
    [saysOfInvoice('reference', 'another order')],
    ['M14-bodies'],
  ],
  [
    'the reference of an invoice',
    [
      saysOfInvoice('reference', 'order-1042'),
      sql`update invoice set reference = 'order-1043' where id = ${invoice}`,
    ],
    ['M14-bodies'],
  ],
  ['an event without a delivery', [sql`delete from delivery where ${firstDelivery}`], ['M14-sent']],
  [
    'a delivery without an event',
    [sql`update delivery set event_id = ${unknownId} where ${firstDelivery}`],
    ['M14-sent'],
  ],
  [
    'a delivery that is neither pending nor ended',
    [
      sql`alter table delivery drop constraint delivery_state_check, drop constraint delivery_check`,
      sql`update delivery set state = 'lost' where ${firstDelivery}`,
    ],
    ['M14-sent'],
  ],
  ['a delivery that nobody took', [ended('delivered')], ['M14-sent']],
  ['a delivery given up without an attempt', [ended('exhausted')], ['M14-sent']],
  [
    'a delivery that is put off for ever',
    [sql`update delivery set next_attempt_at = now() + interval '1 year' where ${firstDelivery}`],
    ['M14-sent'],
  ],
  [
    'a delivery claimed for ever',
    [sql`update delivery set claimed_until = now() + interval '1 year' where ${firstDelivery}`],
    ['M14-sent'],
  ],
  ['an attempt deleted', [sql`update delivery set attempts = 3 where ${firstDelivery}`], ['M14-sent']],
  [
    'an eleventh attempt',
    [
      sql`update delivery set attempts = 11 where ${firstDelivery}`,
      sql`insert into delivery_attempt (delivery_id, number, started_at, took_ms, status)
          select id, number, now(), 1, 500 from delivery, generate_series(1, 11) number where ${firstDelivery}`,
    ],
    ['M14-sent'],
  ],
])('verify, of %s,', (_what, by, expected) => {
  it(`is found by ${expected.join(', ') || 'nobody'}`, async () => {
    expect(await foundAfter(by)).toEqual(expected)
  })
})

describe('verify reports no violation', () => {
  it.each<[string, readonly Statement[]]>([
    [
      'about deliveries that ended, of events that are old',
      [sql`update event set created_at = now() - interval '91 days'`, sql`delete from delivery`],
    ],
    ['about a cancelled delivery', [ended('cancelled')]],
    [
      'about a deleted merchant, who is told nothing',
      [
        sql`update merchant set deleted_at = now()`,
        sql`update deposit set block_height = null, block_hash = null, included_at = null where id = ${payment(5)}`,
        anotherInvoice('paid', 1, '2026-01-01'),
      ],
    ],
    [
      'about what happened to a merchant that was restored since',
      [
        sql`insert into audit_entry (id, merchant_id, action, subject, happened_at)
            values (gen_random_uuid(), ${merchantId}, 'merchant.restored', ${merchantId}, now() + interval '1 second')`,
        sql`update deposit set block_height = null, block_hash = null, included_at = null where id = ${payment(5)}`,
        anotherInvoice('paid', 1, '2026-01-01'),
      ],
    ],
    [
      'about a deleted invoice, of which nothing is told',
      [
        anotherInvoice('paid', 1, '2026-01-01'),
        sql`update invoice set deleted_at = now() where id = ${unknownId}`,
      ],
    ],
    [
      'about a withdrawal that ended here, and that the signer’s log brought back',
      [
        sql`update withdrawal set state = 'pending', stage = 'signed', ended_at = null, end_reason = null, retaken_at = now()
           where id = ${withdrawal(4)}`,
      ],
    ],
    [
      'about events of before the type and the reference of an invoice were told',
      [
        sql`update event set body = (body::jsonb #- '{data,type}' #- '{data,reference}')::text where type like 'invoice.%'`,
      ],
    ],
    [
      'about the reference of a deleted invoice, which is gone',
      [
        saysOfInvoice('reference', 'order-1042'),
        sql`update invoice set deleted_at = now() where id = ${invoice}`,
      ],
    ],
  ])('%s', async (_about, by) => {
    expect((await foundAfter(by)).filter((id) => id.startsWith('M14'))).toEqual([])
  })
})

const ethOnBase = 20

/** Adds another transfer of a payment's transaction to the invoice. It has no events of its own. */
const anotherTransfer = (of: string, changed: Readonly<Record<string, unknown>> = {}) => sql`
  insert into deposit
  select changed.* from deposit
  cross join lateral jsonb_populate_record(deposit, jsonb_build_object('id', ${unknownId}::text,
    'transfer_key', 'another') || ${JSON.stringify(changed)}::jsonb) changed
  where deposit.id = ${of}`

/** What `invoice.paid` reports of the payment. */
interface PaidData {
  readonly amount: string
  readonly currency: string
  readonly txHash: string
}
const reportsPaid = (data: PaidData) => sql`
  update event set body = jsonb_set(body::jsonb, '{data}', (body::jsonb -> 'data') || ${JSON.stringify(data)}::jsonb)::text
  where type = 'invoice.paid'`

/** Makes the reusable invoice one that all its payments pay together. */
const paidTogether: readonly Statement[] = [
  sql`update invoice set type = 'onetime' where id = ${invoice}`,
  sql`update event set subject = ${`invoice.paid:${invoice}:1`} where type = 'invoice.paid'`,
  sql`delete from full_payment`,
]
const onTwoNetworks: readonly Statement[] = [
  ...paidTogether,
  anotherTransfer(payment(2), {
    network: 'base',
    asset: 'base/ETH',
    payment_method_id: ethOnBase,
    full_minor: null,
  }),
]

/** Whether M14-bodies reports the changes. A transfer without events and journals is reported by other invariants. */
async function isBodyWrong(by: readonly Statement[]): Promise<boolean> {
  return (await foundAfter(by)).includes('M14-bodies')
}

describe('the amount of invoice.paid', () => {
  it.each<[string, readonly Statement[]]>([
    [
      'leaves out the same transaction on another network',
      [...onTwoNetworks, reportsPaid({ amount: '1', currency: 'ETH', txHash: '0x2' })],
    ],
    [
      'is one of two payments to a reusable invoice in one transaction',
      [anotherTransfer(payment(1), { amount_minor: 150_000_000, amount: 150 })],
    ],
    [
      'leaves out a part of its transaction that is in quarantine',
      [
        ...paidTogether,
        anotherTransfer(payment(1), {
          aml_verdict: 'listed',
          quarantine: 'held',
          net_minor: null,
          fee_minor: null,
        }),
      ],
    ],
    [
      'leaves out a part of its transaction that is implausible',
      [
        ...paidTogether,
        anotherTransfer(payment(1), {
          aml_verdict: 'implausible',
          quarantine: 'held',
          net_minor: null,
          fee_minor: null,
        }),
      ],
    ],
    [
      'is that of a payment without a price since a reorganisation',
      [sql`update deposit set full_minor = null, inclusion = 2 where id = ${payment(1)}`],
    ],
    [
      'leaves out a part of its transaction that was in quarantine before a reorganisation',
      [...paidTogether, anotherTransfer(payment(1), { inclusion: 2 })],
    ],
  ])('is right if it %s', async (_what, by) => {
    expect(await isBodyWrong(by)).toBe(false)
  })

  it.each<[string, readonly Statement[]]>([
    [
      'counts the same transaction on another network',
      [...onTwoNetworks, reportsPaid({ amount: '2', currency: 'ETH', txHash: '0x2' })],
    ],
    [
      'counts all payments of a reusable invoice',
      [reportsPaid({ amount: '149.4', currency: 'USDT', txHash: '0x1' })],
    ],
    ['leaves out a part of its transaction', [...paidTogether, anotherTransfer(payment(1))]],
    [
      'names a transaction on another network alone',
      [
        ...onTwoNetworks,
        sql`update deposit set full_minor = null where id = ${payment(2)}`,
        reportsPaid({ amount: '1', currency: 'ETH', txHash: '0x2' }),
      ],
    ],
  ])('is wrong if it %s', async (_what, by) => {
    expect(await isBodyWrong(by)).toBe(true)
  })
})
