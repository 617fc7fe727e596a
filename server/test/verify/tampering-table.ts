/**
 * Lists what somebody with write access to the database can change so that it costs somebody money, and which
 * check finds it. Rows 1 to 49 come from an audit by a superuser; the rest were found by reading the schema
 * table by table. docs/tamperings.md shows the table.
 */
import sql from 'sql-template-tag'
import type { Statement } from '../../src/platform/db/pool.ts'

/**
 * The ids that the statements of a tampering need. They are from a story in which everything has happened
 * once.
 */
export interface Story {
  /** The merchant that loses money. */
  readonly anna: string
  /** The merchant that gains. */
  readonly bert: string
  /** An account that owns nothing. */
  readonly stranger: string
  /** The first merchant's withdrawal that was paid. */
  readonly completed: string
  /** Two waiting orders of the first merchant. */
  readonly queued: string
  readonly queuedToo: string
  /** The first merchant's invoice of 77 USD, whose address is shown to its payer. */
  readonly openInvoice: string
  /** The second merchant's invoice, which has no address yet. */
  readonly otherInvoice: string
  /** An unattributed payment to a hot wallet. */
  readonly unsaid: string
  /** A block that pays the open invoice and is not read yet. */
  readonly unread: { readonly height: number; readonly hash: string; readonly parentHash: string }
}

/** A test which shows that the changed row has no effect. */
export interface Stop {
  /** The path of the test file from the root of the repository. */
  readonly file: string
  /** Title of the test, or of the `describe` that holds it. */
  readonly title: string
}

export interface Tampering {
  readonly number: number
  readonly what: string
  /**
   * The weakest role that can make the change: the service role, or a superuser, who can disable triggers and
   * grants.
   */
  readonly by: 'app role' | 'superuser'
  readonly statements: (story: Story) => readonly Statement[]
  /** Whether totals and seals are computed again afterwards, so that hashes and sums match. */
  readonly isResealed?: true
  /** All invariants of verify that find the change; undefined if verify does not find it. */
  readonly foundBy?: readonly string[]
  /**
   * The test which shows that Coffer refuses to use the changed row, so that the change has no effect even
   * before verify runs.
   */
  readonly stoppedBy?: Stop
  /** The reason why the change costs nobody money. */
  readonly notMoney?: string
}

/** Returns a stop from a file of server/test without its extension, and a title in it. */
const at = (file: string, title: string): Stop => ({ file: `server/test/${file}.test.ts`, title })

export const thief = `0x7e${'1f'.repeat(19)}`
const usdt = 'ethereum/USDT'
const made = '0197a1f1-dddd-7ddd-8ddd-dddddddddddd'

/** Sums totals over lines, as an attacker would store them after changing lines. */
export const retotal: Statement = sql`
  update ledger_account account set debits = sums.debits, credits = sums.credits
  from (
    select ledger_account.id, coalesce(sum(debit), 0) as debits, coalesce(sum(credit), 0) as credits
    from ledger_account left join journal_line on account_id = ledger_account.id group by ledger_account.id
  ) sums where sums.id = account.id`

/**
 * The deposits of the first merchant: those that a sweep brought in, and those that are still where they were
 * paid.
 */
const swept = ({ anna }: Story) =>
  sql`(select id from deposit where merchant_id = ${anna} and sweep_id is not null)`
const unswept = ({ anna }: Story) =>
  sql`(select id from deposit where merchant_id = ${anna} and sweep_id is null)`
const ofDeposit = (story: Story) =>
  sql`(select id from journal where subject = 'deposit:' || ${unswept(story)} || ':1')`
const lastDelivery = ({ anna }: Story) =>
  sql`(select id from delivery where merchant_id = ${anna} order by id desc limit 1)`

const raised = (story: Story) => [
  sql`
    update journal_line line set debit = debit * 2, credit = credit * 2 where journal_id = ${ofDeposit(story)}`,
  retotal,
]

const books: readonly Tampering[] = [
  {
    number: 1,
    what: 'a merchant’s available balance and custody are raised, only in the totals',
    by: 'app role',
    statements: ({ anna }) => [
      sql`
        update ledger_account set credits = credits + 5000000
        where name = 'available' and owner_id = ${anna} and asset = ${usdt}`,
      sql`update ledger_account set debits = debits + 5000000
          where name = 'custody' and owner_id = ${anna} and asset = ${usdt}`,
    ],
    foundBy: ['M3', 'M8'],
  },
  {
    number: 2,
    what: 'the lines of a deposit’s journal are doubled, with the totals',
    by: 'superuser',
    statements: raised,
    foundBy: ['M7', 'M9', 'M12', 'M17', 'M21-journals', 'M8'],
  },
  {
    number: 3,
    what: 'the same, and every seal is computed again',
    by: 'superuser',
    statements: raised,
    isResealed: true,
    foundBy: ['M7', 'M9', 'M12', 'M17-heads', 'M21-journals', 'M8'],
  },
]

const deposits: readonly Tampering[] = [
  {
    number: 4,
    what: 'the amount of a deposit is lowered by 1',
    by: 'app role',
    statements: (story) => [
      sql`update deposit set amount_minor = amount_minor - 1, amount = amount - 0.000001 where id = ${unswept(story)}`,
    ],
    foundBy: ['M7', 'M9', 'M12', 'M11', 'M14-bodies', 'M21-deposits', 'M9-chain'],
  },
  {
    number: 5,
    what: 'the fee terms of a deposit are set to zero',
    by: 'app role',
    statements: (story) => [
      sql`update deposit set fee_percent_basis_points = 0 where id = ${unswept(story)}`,
    ],
    foundBy: ['M12', 'M21-deposits'],
  },
  {
    number: 6,
    what: 'a deposit is moved to another merchant',
    by: 'app role',
    statements: (story) => [sql`update deposit set merchant_id = ${story.bert} where id = ${unswept(story)}`],
    foundBy: ['M22', 'M22-owners', 'M16', 'M14', 'M14-states', 'M21-deposits'],
  },
  {
    number: 7,
    what: 'a confirmed deposit is set back to pending',
    by: 'app role',
    statements: (story) => [
      sql`update deposit set state = 'pending', confirmed_at = null, net_minor = null, fee_minor = null
          where id = ${unswept(story)}`,
    ],
    foundBy: ['M7', 'M9', 'M14-states', 'M8'],
  },
]

const withdrawals: readonly Tampering[] = [
  {
    number: 8,
    what: 'the address of a completed withdrawal is changed',
    by: 'app role',
    statements: ({ completed }) => [sql`update withdrawal set address = ${thief} where id = ${completed}`],
    foundBy: ['M10', 'M23', 'M10-chain'],
  },
  {
    number: 9,
    what: 'the same, and the intent of its outgoing transaction is changed too',
    by: 'app role',
    statements: ({ completed }) => [
      sql`
        update outgoing_transaction set intent = replace(intent, withdrawal.address, ${thief})
        from withdrawal where withdrawal.id = ${completed} and outgoing_transaction.id = withdrawal.id`,
      sql`update withdrawal set address = ${thief} where id = ${completed}`,
    ],
    foundBy: ['M10-bytes', 'M23', 'M10-chain'],
  },
  {
    number: 10,
    what: 'the fee of a completed withdrawal is set to zero',
    by: 'app role',
    statements: ({ completed }) => [sql`update withdrawal set fee_minor = 0 where id = ${completed}`],
    foundBy: ['M6', 'M10', 'M14-bodies', 'M23', 'M10-chain'],
  },
  {
    number: 11,
    what: 'a completed withdrawal is set back to approved, so that it is paid again',
    by: 'app role',
    statements: ({ completed }) => [
      sql`update withdrawal set state = 'pending', stage = 'approved', ended_at = null, tx_hash = null where id = ${completed}`,
    ],
    foundBy: ['M5', 'M6', 'M10', 'M14-states', 'M14-bodies'],
  },
  {
    number: 12,
    what: 'the address of a queued withdrawal is changed',
    by: 'app role',
    statements: ({ queued }) => [sql`update withdrawal set address = ${thief} where id = ${queued}`],
    foundBy: ['M23'],
    stoppedBy: at('withdrawals/forged-orders', 'a queued order of which the app role changes'),
  },
  {
    number: 13,
    what: 'the fee of a queued withdrawal is set to zero',
    by: 'app role',
    statements: ({ queued }) => [sql`update withdrawal set fee_minor = 0 where id = ${queued}`],
    foundBy: ['M23'],
    stoppedBy: at('withdrawals/forged-orders', 'a queued order of which the app role changes'),
  },
  {
    number: 14,
    what: 'the amount of a queued withdrawal is doubled',
    by: 'app role',
    statements: ({ queued }) => [
      sql`update withdrawal set amount_minor = amount_minor * 2, amount = amount * 2 where id = ${queued}`,
    ],
    foundBy: ['M5', 'M6', 'M23'],
    stoppedBy: at('withdrawals/forged-orders', 'a queued order of which the app role changes'),
  },
]

const sent: readonly Tampering[] = [
  {
    number: 15,
    what: 'the network fee of a final outgoing transaction is changed',
    by: 'app role',
    statements: ({ completed }) => [
      sql`update outgoing_transaction set fee_minor = fee_minor + 1 where id = ${completed}`,
    ],
    foundBy: ['M10-fees'],
  },
  {
    number: 16,
    what: 'the outgoing transaction of a sweep is deleted',
    by: 'app role',
    statements: () => [
      sql`delete from outgoing_transaction_attempt where outgoing_transaction_id in (select id from outgoing_transaction where kind = 'sweep')`,
      sql`delete from outgoing_transaction where kind = 'sweep'`,
    ],
    foundBy: ['M10-fees', 'M19', 'M19-chain'],
  },
  {
    number: 17,
    what: 'the nonce of an outgoing transaction is raised by 100',
    by: 'app role',
    statements: ({ completed }) => [
      sql`update outgoing_evm set nonce = nonce + 100 where outgoing_transaction_id = ${completed}`,
    ],
    foundBy: ['M19', 'M10-bytes'],
  },
]

const addresses: readonly Tampering[] = [
  {
    number: 18,
    what: 'an unassigned address is replaced by a thief’s address',
    by: 'app role',
    statements: () => [
      sql`
        update address set address = ${thief}
        where id = (select id from address where assigned_at is null order by branch, index limit 1)`,
    ],
    stoppedBy: at(
      'api/addresses-one',
      'is never assigned if it was added to the free addresses, even with the MAC of another row',
    ),
  },
  {
    number: 19,
    what: 'the address of an open invoice is assigned to another merchant’s invoice',
    by: 'app role',
    statements: ({ openInvoice, otherInvoice, bert }) => [
      sql`update address set merchant_id = ${bert}, invoice_id = ${otherInvoice} where invoice_id = ${openInvoice}`,
    ],
    foundBy: ['M21-addresses'],
    stoppedBy: at('deposits/book-macs', 'credits nobody, halts outgoing transactions, and is not shown'),
  },
  {
    number: 20,
    what: 'the address of an open invoice is replaced by a thief’s address',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update address set address = ${thief} where invoice_id = ${openInvoice}`,
    ],
    foundBy: ['M21-addresses'],
    stoppedBy: at(
      'api/addresses-one',
      'is never shown in place of an assigned address, and the fault is logged',
    ),
  },
]

const lastTwo = sql`(select journal_id from journal_seal order by sequence desc limit 2)`

const history: readonly Tampering[] = [
  {
    number: 21,
    what: 'the last two journals are deleted, with their seals and totals',
    by: 'superuser',
    statements: () => [
      sql`create temporary table gone on commit drop as ${lastTwo}`,
      sql`delete from journal_seal where journal_id in (select journal_id from gone)`,
      sql`delete from journal_line where journal_id in (select journal_id from gone)`,
      sql`delete from journal where id in (select journal_id from gone)`,
      retotal,
    ],
    foundBy: ['M5', 'M6', 'M17-heads'],
  },
  {
    number: 22,
    what: 'the hash of the last seal is changed',
    by: 'superuser',
    statements: () => [
      sql`
        update journal_seal set hash = sha256(hash) where sequence = (select max(sequence) from journal_seal)`,
    ],
    foundBy: ['M17', 'M17-heads'],
  },
  {
    number: 23,
    what: 'two seals are swapped',
    by: 'superuser',
    statements: () => [
      sql`
        create temporary table swapped on commit drop as
        select journal_id, hash, row_number() over (order by sequence desc) as ordinal
        from journal_seal order by sequence desc limit 2`,
      sql`
        update journal_seal set hash = other.hash
        from swapped own join swapped other on other.ordinal <> own.ordinal
        where journal_seal.journal_id = own.journal_id`,
    ],
    foundBy: ['M17', 'M17-heads'],
  },
  {
    number: 24,
    what: 'the date of a journal is changed',
    by: 'superuser',
    statements: (story) => [
      sql`update journal set posted_at = posted_at - interval '1 day' where id = ${ofDeposit(story)}`,
    ],
    foundBy: ['M17'],
  },
]

const events: readonly Tampering[] = [
  {
    number: 25,
    what: 'the amounts in the bytes of events are changed',
    by: 'app role',
    statements: ({ anna }) => [
      sql`update event set body = replace(body, '"amount":"30"', '"amount":"300"') where merchant_id = ${anna}`,
    ],
    foundBy: ['M14-bodies'],
  },
  {
    number: 26,
    what: 'the last event of a merchant is deleted, with its delivery and the counter',
    by: 'app role',
    statements: ({ anna }) => [
      sql`
        create temporary table gone on commit drop as
        select id from event where merchant_id = ${anna} order by sequence desc limit 1`,
      sql`delete from delivery where event_id in (select id from gone)`,
      sql`delete from event where id in (select id from gone)`,
      sql`update event_counter set last_sequence = last_sequence - 1 where merchant_id = ${anna}`,
    ],
    foundBy: ['M14'],
  },
  {
    number: 27,
    what: 'a delivery is deleted, so that the merchant is not notified',
    by: 'app role',
    statements: (story) => [sql`delete from delivery where id = ${lastDelivery(story)}`],
    foundBy: ['M14-sent'],
  },
  {
    number: 28,
    what: 'a delivery is marked as delivered without an attempt',
    by: 'app role',
    statements: (story) => [
      sql`update delivery set state = 'delivered', ended_at = now() where id = ${lastDelivery(story)}`,
    ],
    foundBy: ['M14-sent'],
  },
]

const signer: readonly Tampering[] = [
  {
    number: 29,
    what: 'the address of a hot wallet is replaced by a thief’s address',
    by: 'app role',
    statements: () => [sql`update hot_wallet set address = ${thief} where index = 0`],
    foundBy: ['M19-wallets'],
  },
  {
    number: 30,
    what: 'the stored position in the signer’s log is raised, so that entries are skipped',
    by: 'app role',
    statements: () => [sql`update signer_log_position set last_sequence = last_sequence + 100`],
    stoppedBy: at(
      'outgoing/adopted',
      'halts if the signer’s log is shorter than the database’s position in it',
    ),
  },
  {
    number: 31,
    what: 'the stored position in the signer’s log is lowered, so that entries are adopted again',
    by: 'app role',
    statements: () => [sql`update signer_log_position set last_sequence = 0`],
    stoppedBy: at(
      'outgoing/adopted',
      'adopts nothing twice if the database’s position in the log was set back',
    ),
  },
]

const operators: readonly Tampering[] = [
  {
    number: 32,
    what: 'a payer’s wallet is recorded as a source of the operator’s capital',
    by: 'app role',
    statements: (story) => [
      sql`
        insert into capital_source (network, address)
        select network, sender from deposit where id = ${unswept(story)}`,
    ],
    foundBy: ['M23-capital'],
  },
  {
    number: 33,
    what: 'a fee schedule of zero is added for a merchant',
    by: 'app role',
    statements: ({ bert }) => [
      sql`
        insert into fee_schedule (id, merchant_id, payment_method_id, type, percent_basis_points, flat_usd)
        values (${made}, ${bert}, null, 'onetime', 0, 0)`,
    ],
    foundBy: ['M23-fees'],
  },
  {
    number: 34,
    what: 'a stranger becomes an owner of a merchant, whose minimum withdrawal is set to zero',
    by: 'app role',
    statements: ({ anna, stranger }) => [
      sql`
        insert into member (account_id, merchant_id, role, created_at)
        select ${stranger}, id, 'owner', created_at from merchant where id = ${anna}`,
      sql`update limit_override set minimum_usd = 0 where merchant_id = ${anna} and type = 'withdraw'`,
    ],
    foundBy: ['M23-limits', 'M23-members'],
  },
]

const prices: readonly Tampering[] = [
  {
    number: 35,
    what: 'the amount of an open invoice is lowered from 77 USD to 1 USD',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update invoice set amount = '1', amount_usd = 100000000 where id = ${openInvoice}`,
    ],
    foundBy: ['M13', 'M21-quotes', 'M21-addresses', 'M21-invoices'],
    stoppedBy: at('deposits/book-macs', 'lowered, its quote kept'),
  },
  {
    number: 36,
    what: 'the same, and its quote is lowered too',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update invoice set amount = '1', amount_usd = 100000000 where id = ${openInvoice}`,
      sql`update quote set full_minor = 1000000 where invoice_id = ${openInvoice}`,
    ],
    foundBy: ['M21-quotes', 'M21-addresses', 'M21-invoices'],
    stoppedBy: at('deposits/book-macs', 'lowered together with its quote'),
  },
  {
    number: 37,
    what: 'the price of a quote is divided by ten',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update quote set price = price / 10 where invoice_id = ${openInvoice}`,
    ],
    foundBy: ['M13', 'M21-quotes'],
  },
]

/** Renumbers a merchant's events from the first gap on, so that no number is missing. */
const renumber = (merchantId: string) => [
  sql`
    create temporary table renumbered on commit drop as
    select id, row_number() over (order by sequence) as sequence from event where merchant_id = ${merchantId}`,
  sql`update event set sequence = sequence + 1000000 where merchant_id = ${merchantId}`,
  sql`
    update event set sequence = renumbered.sequence,
      body = (body::jsonb || jsonb_build_object('sequence', renumbered.sequence))::text
    from renumbered where renumbered.id = event.id`,
  sql`
    update event_counter set last_sequence = (select count(*) from event where merchant_id = ${merchantId})
    where merchant_id = ${merchantId}`,
]

/** Deletes journals, and renumbers the remaining seals without a gap. */
const unpost = (which: ReturnType<typeof sql>) => [
  sql`create temporary table unposted on commit drop as ${which}`,
  sql`delete from journal_seal where journal_id in (select id from unposted)`,
  sql`delete from journal_line where journal_id in (select id from unposted)`,
  sql`delete from journal where id in (select id from unposted)`,
  sql`
    create temporary table kept on commit drop as
    select journal_id, row_number() over (order by sequence) as sequence from journal_seal`,
  sql`update journal_seal set sequence = sequence + 1000000`,
  sql`update journal_seal set sequence = kept.sequence from kept where kept.journal_id = journal_seal.journal_id`,
]

/**
 * Runs statements with the triggers that count invoices and days, as if a process of ours changed the rows.
 */
const counted = (...statements: readonly Statement[]) => [
  sql`set local session_replication_role = origin`,
  ...statements,
  sql`set local session_replication_role = replica`,
]

const rewritten: readonly Tampering[] = [
  {
    number: 38,
    what: 'the cursor is moved past a block with a payment, with the true hashes of the block',
    by: 'app role',
    statements: ({ unread: { height, hash, parentHash } }) => [
      sql`
        insert into block (network, height, hash, parent_hash, mined_at)
        values ('ethereum', ${height}, ${hash}, ${parentHash}, now())`,
      sql`update chain_cursor set height = ${height}, hash = ${hash}, final_height = ${height}, head_height = ${height}`,
    ],
    foundBy: ['M7-chain'],
  },
  {
    number: 39,
    what: 'a deposit is deleted completely: its row, journal, events, and its effect on its invoice',
    by: 'superuser',
    statements: (story) => [
      sql`create temporary table erased on commit drop as select id, invoice_id from deposit where id = ${unswept(story)}`,
      sql`
        create temporary table untold on commit drop as
        select event.id from event join erased
          on event.subject like '%:' || erased.id || ':%' or event.subject like '%:' || erased.invoice_id || ':%'`,
      sql`delete from delivery where event_id in (select id from untold)`,
      sql`delete from event where id in (select id from untold)`,
      ...renumber(story.anna),
      ...unpost(ofDeposit(story)),
      ...counted(
        sql`update invoice set state = 'pending', paid_at = null, paid_periods = 0
            where id in (select invoice_id from erased)`,
        sql`delete from deposit where id in (select id from erased)`,
      ),
    ],
    isResealed: true,
    foundBy: ['M16-deposits', 'M17-heads', 'M7-chain'],
  },
  {
    number: 40,
    what: 'a deposit is moved to another merchant completely: row, address, invoice, journal, totals and seals',
    by: 'superuser',
    statements: (story) => [
      sql`create temporary table moved on commit drop as select id, invoice_id from deposit where id = ${unswept(story)}`,
      ...counted(
        sql`update deposit set merchant_id = ${story.bert} where id in (select id from moved)`,
        sql`update invoice set merchant_id = ${story.bert} where id in (select invoice_id from moved)`,
        sql`update address set merchant_id = ${story.bert} where invoice_id in (select invoice_id from moved)`,
      ),
      sql`
        update journal_line line set account_id = theirs.id
        from ledger_account own join ledger_account theirs on theirs.name = own.name and theirs.asset = own.asset
        where line.journal_id = (select id from journal where subject = 'deposit:' || (select id from moved) || ':1')
          and own.id = line.account_id and theirs.owner_id = ${story.bert}`,
    ],
    isResealed: true,
    foundBy: [
      'M14',
      'M14-states',
      'M17-heads',
      'M21-journals',
      'M21-deposits',
      'M21-quotes',
      'M21-addresses',
      'M21-invoices',
    ],
    stoppedBy: at(
      'outgoing/control',
      'rewritten history with new seals is not countersigned: payouts halt, and verify reports it',
    ),
  },
  {
    number: 41,
    what: 'the audit log is emptied',
    by: 'superuser',
    statements: () => [sql`delete from audit_entry`],
    foundBy: ['M23', 'M23-fees', 'M23-limits', 'M23-attributions', 'M23-keys', 'M23-lists', 'M23-webhooks'],
  },
  {
    number: 42,
    what: 'a queued withdrawal is deleted, with its hold',
    by: 'superuser',
    statements: ({ queuedToo }) => [
      ...unpost(sql`(select id from journal where subject = ${`withdrawal:${queuedToo}:requested`})`),
      sql`delete from withdrawal where id = ${queuedToo}`,
    ],
    isResealed: true,
    foundBy: ['M23', 'M17-heads'],
    stoppedBy: at(
      'outgoing/control',
      'rewritten history with new seals is not countersigned: payouts halt, and verify reports it',
    ),
  },
  {
    number: 43,
    what: 'the hash of the last block and of the cursor is changed',
    by: 'app role',
    statements: () => [
      sql`update block set hash = '0xfeed' where height = (select height from chain_cursor)`,
      sql`update chain_cursor set hash = '0xfeed'`,
    ],
    foundBy: ['M18'],
  },
]

const reportedTamperings: readonly Tampering[] = [
  {
    number: 44,
    what: 'the key of a transfer is changed, so that the transfer can be credited again',
    by: 'app role',
    statements: (story) => [
      sql`update deposit set transfer_key = transfer_key || '1' where id = ${unswept(story)}`,
    ],
    foundBy: ['M21-deposits', 'M9-chain', 'M7-chain'],
  },
  {
    number: 45,
    what: 'the redirect URL of an open invoice is changed',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update invoice set redirect_url = 'https://evil.test/' where id = ${openInvoice}`,
    ],
    notMoney: 'the browser goes to this URL after the payment; no amount, address or balance depends on it',
  },
  {
    number: 46,
    what: 'the raw bytes of an attempt are replaced',
    by: 'app role',
    statements: ({ completed }) => [
      sql`
        update outgoing_transaction_attempt set raw = (select raw from outgoing_transaction_attempt other where other.outgoing_transaction_id <> ${completed} limit 1)
        where outgoing_transaction_id = ${completed}`,
    ],
    foundBy: ['M10-bytes'],
  },
  {
    number: 47,
    what: 'the sender and the recipient of a deposit are changed',
    by: 'app role',
    statements: (story) => [
      sql`update deposit set sender = ${thief}, recipient = ${thief} where id = ${unswept(story)}`,
    ],
    foundBy: ['M22-owners', 'M21-deposits', 'M9-chain'],
  },
  {
    number: 48,
    what: 'the amount of a merchant’s sweep is doubled',
    by: 'app role',
    statements: ({ anna }) => [
      sql`update merchant_sweep set amount_minor = amount_minor * 2, amount = amount * 2 where merchant_id = ${anna}`,
    ],
    foundBy: ['M24', 'M14-bodies'],
  },
  {
    number: 49,
    what: 'the mark that a deposit was swept is removed',
    by: 'app role',
    statements: (story) => [sql`update deposit set sweep_id = null where id = ${swept(story)}`],
    foundBy: ['M24'],
  },
]

const said: readonly Tampering[] = [
  {
    number: 50,
    what: 'a decision that an outgoing transaction moved nothing, which releases its hold, is forged',
    by: 'app role',
    statements: ({ completed }) => [
      sql`
        update missing_transfer set outcome = 'unpaid', reason = 'it came back', decided_at = now()
        where outgoing_transaction_id = ${completed}`,
    ],
    foundBy: ['M23-unmoved', 'M21-outcomes'],
    stoppedBy: at(
      'outgoing/unmoved',
      'moved nothing keeps its hold if somebody with write access to the database marks it as unpaid, which halts payouts',
    ),
  },
  {
    number: 51,
    what: 'a payment to a hot wallet is attributed to a merchant, although no operator decided it',
    by: 'app role',
    statements: ({ unsaid, bert }) => [
      sql`
        insert into attribution (deposit_id, merchant_id, fee_percent_basis_points, fee_flat_minor)
        values (${unsaid}, ${bert}, 0, 0)`,
    ],
    foundBy: ['M23-attributions', 'M21-attributions'],
    stoppedBy: at('deposits/book-macs', 'an attribution that no operator made'),
  },
  {
    number: 52,
    what: 'the halt of an asset is deleted',
    by: 'app role',
    statements: () => [sql`delete from asset_halt`],
    foundBy: ['M23-halts'],
  },
  {
    number: 53,
    what: 'a deposit that nobody paid is inserted, with its journal and marked as proven',
    by: 'app role',
    statements: ({ bert }) => [
      sql`
        insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
          invoice_id, sender, recipient, amount_minor, amount, state, inclusion, block_height, block_hash, included_at,
          in_time_at, fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, confirmed_at, aml_verdict, mac,
          price, full_minor, proven_inclusion)
        select ${made}, network, transfer_key || '9', tx_hash, asset, payment_method_id, address_id, merchant_id,
          invoice_id, sender, recipient, amount_minor, amount, state, 1, block_height, block_hash, included_at,
          in_time_at, fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, confirmed_at, aml_verdict, mac,
          price, full_minor, 1
        from deposit where merchant_id = ${bert} and asset = ${usdt} and sweep_id is not null`,
      sql`insert into journal (id, kind, subject) values (${made}, 'deposit.credited', ${`deposit:${made}:1`})`,
      sql`insert into journal_unsealed (journal_id) values (${made})`,
      sql`
        insert into journal_line (journal_id, ordinal, account_id, debit, credit)
        select ${made}, ordinal, account_id, debit, credit from journal_line
        where journal_id = (
          select id from journal where subject = (
            select format('deposit:%s:1', id) from deposit
            where merchant_id = ${bert} and asset = ${usdt} and sweep_id is not null and id <> ${made}))`,
      retotal,
    ],
    foundBy: ['M11', 'M14', 'M14-bodies', 'M21-journals', 'M21-deposits', 'M8', 'M9-chain'],
    stoppedBy: at('outgoing/false-credit', 'a deposit that somebody wrote into the database covers no order'),
  },
  {
    number: 54,
    what: 'a stranger becomes an operator',
    by: 'app role',
    statements: ({ stranger }) => [sql`update account set is_operator = true where id = ${stranger}`],
    foundBy: ['M23-operators'],
  },
  {
    number: 55,
    what: 'the approval time of a withdrawal is moved back, so that no sum over 24 hours counts it',
    by: 'superuser',
    statements: ({ completed }) => [
      sql`update withdrawal set approved_at = approved_at - interval '2 days' where id = ${completed}`,
    ],
    foundBy: ['M23-times'],
  },
]

const used: readonly Tampering[] = [
  {
    number: 56,
    what: 'the halt of all payouts is deleted',
    by: 'superuser',
    statements: () => [sql`delete from outgoing_halt`],
    stoppedBy: at('outgoing/control', 'a halt that a superuser deletes stays at the signer, and is restored'),
  },
  {
    number: 57,
    what: 'the signatures of two orders are swapped',
    by: 'app role',
    statements: ({ queued, queuedToo }) => [
      sql`
        update withdrawal set order_signature = other.order_signature from withdrawal other
        where withdrawal.id in (${queued}, ${queuedToo}) and other.id in (${queued}, ${queuedToo})
          and other.id <> withdrawal.id`,
    ],
    stoppedBy: at('withdrawals/forged-orders', 'the signature, by that of another order'),
  },
  {
    number: 58,
    what: 'a second outgoing transaction is planned for a completed withdrawal',
    by: 'app role',
    statements: ({ completed }) => [
      sql`
        insert into outgoing_transaction (id, network, kind, intent, max_cost_minor, spent_asset, spent_contract, spent_minor)
        select ${made}, network, kind, intent, max_cost_minor, spent_asset, spent_contract, spent_minor
        from outgoing_transaction where id = ${completed}`,
      sql`
        insert into outgoing_evm (outgoing_transaction_id, network, wallet, nonce, hot_wallet, gas_limit, max_fee_per_gas,
          max_priority_fee_per_gas)
        select ${made}, network, wallet, nonce + 1, hot_wallet, gas_limit, max_fee_per_gas, max_priority_fee_per_gas
        from outgoing_evm where outgoing_transaction_id = ${completed}`,
    ],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    number: 59,
    what: 'a merchant’s API key is replaced by a thief’s key, and its IP list is emptied',
    by: 'app role',
    statements: ({ anna }) => [
      sql`update api_key set key_hash = sha256('a key of a thief') where merchant_id = ${anna}`,
      sql`update merchant set ip_whitelist = '{}' where id = ${anna}`,
    ],
    foundBy: ['M23-keys', 'M23-lists'],
  },
  {
    number: 60,
    what: 'the URL of a merchant’s webhook is changed',
    by: 'app role',
    statements: ({ anna }) => [
      sql`update webhook_endpoint set url = 'https://evil.test/hook' where merchant_id = ${anna}`,
    ],
    foundBy: ['M23-webhooks'],
  },
  {
    number: 61,
    what: 'an open invoice is marked as paid',
    by: 'app role',
    statements: ({ openInvoice }) => [
      sql`update invoice set state = 'paid', paid_at = now(), paid_periods = 1 where id = ${openInvoice}`,
    ],
    foundBy: ['M16', 'M14'],
  },
  {
    number: 62,
    what: 'the amount of an invoice that has no address yet is lowered from 77 USD to 1 USD',
    by: 'app role',
    statements: ({ otherInvoice }) => [
      sql`update invoice set amount = '1', amount_usd = 100000000 where id = ${otherInvoice}`,
    ],
    foundBy: ['M21-invoices'],
    stoppedBy: at(
      'api/addresses-one',
      'is refused if its amount was lowered before the payer asked for an address',
    ),
  },
]

/** Ordered by their numbers. */
export const tamperings: readonly Tampering[] = [
  books,
  deposits,
  withdrawals,
  sent,
  addresses,
  history,
  events,
  signer,
  operators,
  prices,
  rewritten,
  reportedTamperings,
  said,
  used,
]
  .flat()
  .sort((one, other) => one.number - other.number)
