/**
 * The attacks of somebody who can write in the database with the rights of the service. Each attack changes a row, or
 * adds a row and what belongs to it. `docs/tamperings.md` lists all such changes. These are the ones that can bring
 * somebody money.
 */
import type { Dice } from '../dice.ts'

/** Names an attack. It completes the sentence "an attacker ...". */
export type AttackName = keyof typeof attacks

export interface Attack {
  readonly table: 'withdrawal' | 'deposit' | 'invoice' | 'quote' | 'address' | 'ledger_account' | 'journal'
  /** The assignments of the UPDATE. `victim` is the row before the change. */
  readonly set?: string
  /** Which rows the attacker changes. */
  readonly where?: string
  /** The INSERT that replaces the UPDATE: a WITH clause whose last part `added` is the new row. */
  readonly insert?: string
  /** The columns that the attack writes. */
  readonly columns: readonly string[]
  /**
   * Invariants of `verify`, at least one of which must report the change as long as it remains. If there are none, an
   * active halt is enough.
   */
  readonly foundBy: readonly string[]
  /** A condition on the row, in SQL, under which nothing needs to report the change. */
  readonly harmlessIf?: string
  readonly raisesBalance?: true
  /** The moves that create such a row. The attack then follows one of them. By default it comes at any time. */
  readonly after?: readonly string[]
  /** How often the attack is drawn, compared with others. */
  readonly weight: number
}

const atOrders = ['order a withdrawal']

/** Selects orders for which no outgoing transaction is stored yet. A stored one has a copy of the order. */
const isUnplanned = `state = 'pending' and stage in ('queued', 'approved')`

/** $2 and $3 are addresses of the attacker on EVM networks and on the UTXO network. */
const thief = `case when victim.asset like any (array['ethereum/%', 'base/%']) then $2 else $3 end`
const otherMerchant = `(select id from merchant where id <> victim.merchant_id order by id limit 1)`
const forgedMac = `repeat('ab', 32)`

const orders = {
  'changes the destination of an order': {
    table: 'withdrawal',
    set: `address = ${thief}`,
    where: `state = 'pending'`,
    columns: ['address'],
    foundBy: ['M10', 'M23'],
    after: atOrders,
    weight: 6,
  },
  'doubles the amount of an order': {
    table: 'withdrawal',
    set: 'amount_minor = victim.amount_minor * 2, amount = victim.amount * 2',
    where: `state = 'pending'`,
    columns: ['amount_minor', 'amount'],
    foundBy: ['M5', 'M6', 'M23'],
    after: atOrders,
    weight: 2,
  },
  'takes the fee off an order': {
    table: 'withdrawal',
    set: 'fee_minor = 0',
    where: `state = 'pending'`,
    columns: ['fee_minor'],
    foundBy: ['M6', 'M10', 'M23'],
    after: atOrders,
    weight: 1,
  },
  'inserts an order': {
    table: 'withdrawal',
    insert: `with added as (insert into withdrawal (id, merchant_id, payment_method_id, asset, address, amount_minor, amount, fee_minor, order_signature, created_at)
      select md5(id::text || $1)::uuid, merchant_id, payment_method_id, asset, ${thief}, amount_minor, amount, fee_minor, order_signature, created_at
      from withdrawal victim order by md5(id::text || $1) limit 1 returning *)`,
    columns: ['address'],
    foundBy: ['M5', 'M6', 'M23'],
    after: atOrders,
    weight: 1,
  },
  'approves an order': {
    table: 'withdrawal',
    set: `stage = 'approved', approval_mac = ${forgedMac}, waits_for = null`,
    where: `state = 'pending' and stage = 'queued'`,
    columns: ['approval_mac'],
    foundBy: [],
    // The MAC is checked before the order is paid, so it needs a report only if the order is completed.
    harmlessIf: `state <> 'completed'`,
    after: atOrders,
    weight: 1,
  },
  'opens an order again': {
    table: 'withdrawal',
    set: `state = 'pending', stage = 'approved', ended_at = null, end_reason = null, end_explanation = null, tx_hash = null`,
    where: `state <> 'pending'`,
    columns: ['state', 'stage'],
    foundBy: ['M5', 'M6', 'M10'],
    weight: 2,
  },
  'sets an order that is on its way to queued': {
    table: 'withdrawal',
    set: `stage = 'queued', approval_mac = null, tx_hash = null`,
    where: `state = 'pending' and stage not in ('queued', 'approved')`,
    columns: ['stage', 'approval_mac'],
    foundBy: [],
    // The order may end before its row is used again.
    harmlessIf: `state <> 'pending'`,
    after: atOrders,
    weight: 4,
  },
  'gives an order the signature of another': {
    table: 'withdrawal',
    set: `order_signature = (select other.order_signature from withdrawal other where other.id <> victim.id order by other.id limit 1)`,
    where: isUnplanned,
    columns: ['order_signature'],
    foundBy: [],
    // The signature is checked before the order is paid, so it needs a report only if the order is completed.
    harmlessIf: `state <> 'completed'`,
    after: atOrders,
    weight: 1,
  },
  'approves an order in the name of an operator': {
    table: 'withdrawal',
    set: `released_at = coffer_now()`,
    where: `state = 'pending' and stage = 'queued' and released_at is null`,
    columns: ['released_at'],
    foundBy: ['M23'],
    after: [...atOrders, 'order around the limit'],
    weight: 1,
  },
} as const satisfies Readonly<Record<string, Attack>>

const payments = {
  'raises a payment': {
    table: 'deposit',
    set: 'amount_minor = victim.amount_minor * 3, amount = victim.amount * 3',
    where: `state = 'pending' and merchant_id is not null`,
    columns: ['amount_minor'],
    foundBy: ['M21-deposits'],
    weight: 2,
  },
  'gives a payment to another merchant': {
    table: 'deposit',
    set: `merchant_id = ${otherMerchant}`,
    where: `state = 'pending' and merchant_id is not null`,
    columns: ['merchant_id'],
    foundBy: ['M21-deposits'],
    weight: 2,
  },
  'marks a payment as credited': {
    table: 'deposit',
    set: `state = 'confirmed', confirmed_at = coffer_now(), fee_minor = 0, net_minor = victim.amount_minor`,
    where: `state = 'pending' and merchant_id is not null and block_height is not null`,
    columns: ['state', 'fee_minor', 'net_minor'],
    foundBy: ['M7', 'M9', 'M12'],
    weight: 2,
  },
  'changes the MAC of a payment': {
    table: 'deposit',
    set: `mac = ${forgedMac}`,
    where: `merchant_id is not null`,
    columns: ['mac'],
    foundBy: ['M21-deposits'],
    weight: 1,
  },
} as const satisfies Readonly<Record<string, Attack>>

const invoices = {
  'lowers the amount of an invoice': {
    table: 'invoice',
    set: `amount = '1', amount_usd = 100000000`,
    where: `state = 'pending'`,
    columns: ['amount', 'amount_usd'],
    foundBy: ['M13', 'M21-quotes', 'M21-addresses', 'M21-invoices'],
    weight: 1,
  },
  'divides the price of a quote by ten': {
    table: 'quote',
    set: 'price = victim.price / 10 + 1',
    where: 'true',
    columns: ['price'],
    foundBy: ['M13', 'M21-quotes'],
    weight: 1,
  },
  'replaces the address of an invoice': {
    table: 'address',
    set: `address = case when victim.family = 'evm' then $2 else $3 end`,
    where: 'invoice_id is not null',
    columns: ['address'],
    foundBy: ['M21-addresses'],
    weight: 1,
  },
  'gives an address to another merchant': {
    table: 'address',
    set: `merchant_id = ${otherMerchant}`,
    where: 'invoice_id is not null',
    columns: ['merchant_id'],
    foundBy: ['M21-addresses'],
    weight: 2,
  },
  'replaces a free address': {
    table: 'address',
    set: `address = case when victim.family = 'evm' then $2 else $3 end`,
    where: 'invoice_id is null and id = (select min(id) from address where invoice_id is null)',
    columns: ['address'],
    foundBy: ['M21-addresses'],
    // The MAC of a free address is checked when it is given to an invoice.
    harmlessIf: 'invoice_id is null',
    weight: 1,
  },
} as const satisfies Readonly<Record<string, Attack>>

const books = {
  'raises a balance': {
    table: 'ledger_account',
    set: 'credits = victim.credits * 2 + 100000000',
    where: `name = 'available' and owner_id is not null`,
    columns: ['name'],
    foundBy: ['M3'],
    raisesBalance: true,
    weight: 3,
  },
  'inserts a journal that credits a merchant': {
    table: 'journal',
    insert: `with victim as (
        select * from ledger_account where name = 'available' and owner_id is not null order by md5(id::text || $1) limit 1
      ), custody as (
        select ledger_account.id from ledger_account join victim using (asset, owner_id) where ledger_account.name = 'custody'
      ), moved as (
        update ledger_account set
          debits = ledger_account.debits + case when ledger_account.id = custody.id then 100000000 else 0 end,
          credits = ledger_account.credits + case when ledger_account.id = victim.id then 100000000 else 0 end
        from victim, custody where ledger_account.id in (victim.id, custody.id)
      ), line as (
        insert into journal_line (journal_id, ordinal, account_id, debit, credit)
        select md5($1)::uuid, 0, id, 100000000, 0 from custody
        union all select md5($1)::uuid, 1, victim.id, 0, 100000000 from victim, custody
      ), unsealed as (
        insert into journal_unsealed (journal_id) select md5($1)::uuid from custody
      ), posted as (
        insert into journal (id, kind, subject, mac)
        select md5($1)::uuid, 'deposit.credited', 'deposit:' || md5($1) || ':1', ${forgedMac} from custody returning *
      ), added as (select posted.*, victim.owner_id, victim.asset from posted, victim)`,
    columns: ['subject'],
    foundBy: ['M21-journals'],
    raisesBalance: true,
    weight: 2,
  },
} as const satisfies Readonly<Record<string, Attack>>

export const attacks = { ...orders, ...payments, ...invoices, ...books } as const

/**
 * Draws the one attack of a seed. Most attacks halt all payouts, so a second kind would rarely have an effect.
 */
export function drawAttack(dice: Dice): AttackName {
  const names = Object.keys(attacks) as AttackName[]
  const weights = Object.fromEntries(names.map((name) => [name, attacks[name].weight]))
  return dice.weighted(weights as Record<AttackName, number>)
}
