/** What processes of ours wrote carries their MACs: a superuser can recompute hashes and totals, and no MAC. */
import sql from 'sql-template-tag'
import type { BooksMacs } from '../../../core/books-macs.ts'
import { firstId } from '../../../core/ids.ts'
import { hasJournalMac } from '../../../ledger/journal-mac.ts'
import { readJournalsAfter } from '../../../ledger/store.ts'
import { hasOutcomeMac } from '../../../outgoing/engine/unmoved/outcome-mac.ts'
import { readDecided } from '../../../outgoing/engine/unmoved/unmoved-store.ts'
import { hasDepositMac } from '../../../payments/deposits/deposit-mac.ts'
import { readTransactionsAfter } from '../../../payments/deposits/store.ts'
import { hasAttributionMac } from '../../../payments/deposits/unattributed/attribution-mac.ts'
import { readAttributionsAfter } from '../../../payments/deposits/unattributed/attribution-store.ts'
import { hasAssignmentMac } from '../../../payments/invoices/addresses/assignment-mac.ts'
import { hasQuoteMac } from '../../../payments/invoices/addresses/quote-mac.ts'
import { readQuotesAfter } from '../../../payments/invoices/addresses/quote-store.ts'
import { hasClaimMac } from '../../../payments/invoices/claims/claim-mac.ts'
import { readStoredClaims } from '../../../payments/invoices/claims/store.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { findingsMax, type Invariant, type Part } from '../invariant.ts'
import { inParts } from '../look.ts'
import { readMacTexts } from './journal-texts.ts'

const rowsAtOnce = 1_000

interface Looked {
  /** Where the next look begins. */
  readonly last: string
  /** Undefined where its MAC holds. */
  readonly finding: string | undefined
}

interface MacInvariant extends Pick<Invariant, 'id' | 'title' | 'unit'> {
  readonly table: string
  /** Where rows of before may get another MAC, which there are few of. */
  readonly since?: 'all'
  readonly first: string
  /** The next rows after one, in the order of their ids. */
  readonly look: (on: Queryable, macs: BooksMacs, after: string) => Promise<readonly Looked[]>
}

function macInvariant({ id, title, unit, table, since, first, look }: MacInvariant): Invariant {
  const lookFrom: Part['look'] = async ({ on }, { from = first, rows }) => {
    const { macs } = on
    if (macs === undefined) return { ...nothing, skipped: 'BOOKS_KEY_FILE is not at hand' }
    let after = from
    let examined = 0
    const findings: string[] = []
    while (examined < rows) {
      const looked = await look(on, macs, after)
      const last = looked.at(-1)
      if (last === undefined) return { examined, findings, rows: examined, next: undefined }
      examined += looked.length
      findings.push(...looked.flatMap(({ finding }) => finding ?? []))
      after = last.last
    }
    return { examined, findings: findings.slice(0, findingsMax), rows: examined, next: after }
  }
  return inParts({ id, title, unit, parts: [{ table, since: since ?? 'newer', look: lookFrom }] })
}

const nothing = { examined: 0, findings: [], rows: 0, next: undefined } as const

const journalsAreOurs = macInvariant({
  id: 'M21-journals',
  title: 'every journal was posted by a process that holds a key of the books',
  unit: 'journals',
  table: 'journal',
  first: firstId,
  look: async (on, macs, after) => {
    const texts = await readMacTexts(on, after, rowsAtOnce)
    if (texts.every(({ text, mac }) => macs.journal.verify(text, mac)))
      return texts.map(({ id }) => ({ last: id, finding: undefined }))
    return (await readJournalsAfter(on, after, rowsAtOnce)).map((journal) => ({
      last: journal.id,
      finding: hasJournalMac(macs, journal)
        ? undefined
        : `journal ${journal.id} (${journal.subject}) carries no MAC that holds`,
    }))
  },
})

const depositsAreOurs = macInvariant({
  id: 'M21-deposits',
  title: 'every deposit is as a watcher recorded it: from whom, to whom, how much, whose, under which terms',
  unit: 'deposits',
  table: 'transaction',
  first: firstId,
  look: async (on, macs, after) =>
    (await readTransactionsAfter(on, after, rowsAtOnce)).map((deposit) => ({
      last: deposit.id,
      finding: hasDepositMac(macs, deposit)
        ? undefined
        : `deposit ${deposit.id} (${deposit.txHash}) carries no MAC that holds`,
    })),
})

const quotesAreOurs = macInvariant({
  id: 'M21-quotes',
  title: 'every quote promises what it promised, for what its invoice asked then',
  unit: 'quotes',
  table: 'quote',
  first: firstId,
  look: async (on, macs, after) =>
    (await readQuotesAfter(on, after, rowsAtOnce)).map(({ quote, invoice }) => ({
      last: quote.id,
      finding: hasQuoteMac(macs, quote, invoice)
        ? undefined
        : `quote ${quote.id} of invoice ${quote.invoiceId} carries no MAC that holds`,
    })),
})

interface AddressRow {
  readonly id: string
  readonly family: string
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly network: string | null
  readonly invoiceId: string | null
  readonly paymentMethodId: number | null
  readonly merchantId: string | null
  readonly amountUsd: string | null
  readonly mac: string | null
}

const ownersAreOurs = macInvariant({
  id: 'M21-addresses',
  title: 'every address belongs to whom a process of ours gave it',
  unit: 'addresses',
  table: 'address',
  first: '0',
  look: async (on, macs, after) => {
    const rows = await on.query<AddressRow>(sql`
      select address.id::text as id, family, address, branch, index, network, invoice_id as "invoiceId",
        address.payment_method_id as "paymentMethodId", address.merchant_id as "merchantId",
        amount_usd::text as "amountUsd", assignment_mac as mac
      from address left join invoice on invoice.id = address.invoice_id
      where address.id > ${after}::bigint and (assigned_at is not null or assignment_mac is not null)
      order by address.id limit ${rowsAtOnce}`)
    return rows.map((row) => ({
      last: row.id,
      finding: hasOwnerMac(macs, row)
        ? undefined
        : `address ${row.address} of invoice ${row.invoiceId ?? 'none'} carries no MAC that holds`,
    }))
  },
})

function hasOwnerMac(macs: BooksMacs, row: AddressRow): boolean {
  const { network, invoiceId, paymentMethodId, merchantId, amountUsd, mac } = row
  if (network === null || invoiceId === null || paymentMethodId === null) return false
  if (merchantId === null || amountUsd === null) return false
  const given = { network, invoiceId, paymentMethodId, merchantId, amountUsd: BigInt(amountUsd) }
  return hasAssignmentMac(macs, { ...row, assignmentMac: mac ?? undefined }, given)
}

const claimsAreOurs = macInvariant({
  id: 'M21-claims',
  title: 'every withdraw invoice pays out whose money, and how much of it, it was made for',
  unit: 'claims',
  table: 'invoice',
  first: firstId,
  look: async (on, macs, after) =>
    (await readStoredClaims(on, after, rowsAtOnce)).map(({ mac, ...facts }) => ({
      last: facts.invoiceId,
      finding: hasClaimMac(macs, facts, mac)
        ? undefined
        : `the claim of invoice ${facts.invoiceId} carries no MAC that holds`,
    })),
})

const attributionsAreOurs = macInvariant({
  id: 'M21-attributions',
  title: 'whose unattributed money is was said by a process of ours',
  unit: 'attributions',
  table: 'attribution',
  since: 'all',
  first: firstId,
  look: async (on, macs, after) =>
    (await readAttributionsAfter(on, after, rowsAtOnce)).map((attribution) => ({
      last: attribution.transactionId,
      finding: hasAttributionMac(macs, attribution)
        ? undefined
        : `the attribution of transaction ${attribution.transactionId} carries no MAC that holds`,
    })),
})

const outcomesAreOurs = macInvariant({
  id: 'M21-outcomes',
  title: 'what became of a payout that moved nothing was said by a process of ours',
  unit: 'payouts',
  table: 'payout_without_transfer',
  since: 'all',
  first: '',
  look: async (on, macs, after) =>
    (await readDecided(on, after, rowsAtOnce)).map(({ mac, ...decided }) => ({
      last: `${decided.payoutId} ${decided.blockHash}`,
      finding: hasOutcomeMac(macs, decided, mac)
        ? undefined
        : `what was said of payout ${decided.payoutId} carries no MAC that holds`,
    })),
})

export const macInvariants: readonly Invariant[] = [
  journalsAreOurs,
  depositsAreOurs,
  quotesAreOurs,
  ownersAreOurs,
  claimsAreOurs,
  attributionsAreOurs,
  outcomesAreOurs,
]
