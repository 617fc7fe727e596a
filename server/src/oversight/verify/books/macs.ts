/**
 * Checks that each row that must carry a MAC carries a valid one. A superuser of the database can recompute
 * hashes and totals, but cannot make a MAC.
 */
import sql from 'sql-template-tag'
import type { BooksMacs } from '../../../core/books-macs.ts'
import { firstId } from '../../../core/ids.ts'
import { hasJournalMac } from '../../../ledger/journal-mac.ts'
import { readJournalsAfter } from '../../../ledger/store.ts'
import { hasOutcomeMac } from '../../../outgoing/engine/unmoved/outcome-mac.ts'
import { readDecided } from '../../../outgoing/engine/unmoved/unmoved-store.ts'
import { hasDepositMac } from '../../../payments/deposits/deposit-mac.ts'
import { readDepositsAfter } from '../../../payments/deposits/store.ts'
import { hasAttributionMac } from '../../../payments/deposits/unattributed/attribution-mac.ts'
import { readAttributionsAfter } from '../../../payments/deposits/unattributed/attribution-store.ts'
import { hasAssignmentMac } from '../../../payments/invoices/addresses/assignment-mac.ts'
import { hasQuoteMac } from '../../../payments/invoices/addresses/quote-mac.ts'
import { readQuotesAfter } from '../../../payments/invoices/addresses/quote-store.ts'
import { hasClaimMac } from '../../../payments/invoices/claims/claim-mac.ts'
import { readStoredClaims } from '../../../payments/invoices/claims/store.ts'
import { readTermsAfter } from '../../../payments/invoices/terms/store.ts'
import { hasTermsMac } from '../../../payments/invoices/terms/terms-mac.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { findingsMax, type Invariant, type Part } from '../invariant.ts'
import { inParts } from '../scan.ts'
import { readMacTexts } from './journal-texts.ts'

const rowsAtOnce = 1_000

interface CheckedRow {
  /** The id of this row. The next scan begins after it. */
  readonly last: string
  /** Undefined if the MAC is valid. */
  readonly finding: string | undefined
}

interface MacInvariant extends Pick<Invariant, 'id' | 'title' | 'unit'> {
  readonly table: string
  /**
   * Set to `all` for small tables in which old rows may get another MAC. Every run checks all rows of these
   * tables.
   */
  readonly since?: 'all'
  readonly first: string
  /** Reads and checks the next rows after an id, in the order of their ids. */
  readonly scan: (on: Queryable, macs: BooksMacs, after: string) => Promise<readonly CheckedRow[]>
}

function macInvariant({ id, title, unit, table, since, first, scan }: MacInvariant): Invariant {
  const scanFrom: Part['scan'] = async ({ on }, { from = first, rows }) => {
    const { macs } = on
    if (macs === undefined) return { ...nothing, skipped: 'BOOKS_KEY_FILE is not available' }
    let after = from
    let examined = 0
    const findings: string[] = []
    while (examined < rows) {
      const scanned = await scan(on, macs, after)
      const last = scanned.at(-1)
      if (last === undefined) return { examined, findings, rows: examined, next: undefined }
      examined += scanned.length
      findings.push(...scanned.flatMap(({ finding }) => finding ?? []))
      after = last.last
    }
    return { examined, findings: findings.slice(0, findingsMax), rows: examined, next: after }
  }
  return inParts({ id, title, unit, parts: [{ table, since: since ?? 'newer', scan: scanFrom }] })
}

const nothing = { examined: 0, findings: [], rows: 0, next: undefined } as const

const journalsHaveMacs = macInvariant({
  id: 'M21-journals',
  title: 'every journal was posted by a process that has a key of the books',
  unit: 'journals',
  table: 'journal',
  first: firstId,
  scan: async (on, macs, after) => {
    const texts = await readMacTexts(on, after, rowsAtOnce)
    if (texts.every(({ text, mac }) => macs.journal.verify(text, mac)))
      return texts.map(({ id }) => ({ last: id, finding: undefined }))
    return (await readJournalsAfter(on, after, rowsAtOnce)).map((journal) => ({
      last: journal.id,
      finding: hasJournalMac(macs, journal)
        ? undefined
        : `journal ${journal.id} (${journal.subject}) carries no valid MAC`,
    }))
  },
})

const depositsHaveMacs = macInvariant({
  id: 'M21-deposits',
  title: 'every deposit is as a watcher recorded it: sender, recipient, amount, owner and terms',
  unit: 'deposits',
  table: 'deposit',
  first: firstId,
  scan: async (on, macs, after) =>
    (await readDepositsAfter(on, after, rowsAtOnce)).map((deposit) => ({
      last: deposit.id,
      finding: hasDepositMac(macs, deposit)
        ? undefined
        : `deposit ${deposit.id} (${deposit.txHash}) carries no valid MAC`,
    })),
})

const quotesHaveMacs = macInvariant({
  id: 'M21-quotes',
  title: 'every quote is as it was made, for the amount of its invoice at that time',
  unit: 'quotes',
  table: 'quote',
  first: firstId,
  scan: async (on, macs, after) =>
    (await readQuotesAfter(on, after, rowsAtOnce)).map(({ quote, invoice }) => ({
      last: quote.id,
      finding: hasQuoteMac(macs, quote, invoice)
        ? undefined
        : `quote ${quote.id} of invoice ${quote.invoiceId} carries no valid MAC`,
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

const ownersHaveMacs = macInvariant({
  id: 'M21-addresses',
  title: 'every address belongs to the invoice to which our process gave it',
  unit: 'addresses',
  table: 'address',
  first: '0',
  scan: async (on, macs, after) => {
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
        : `address ${row.address} of invoice ${row.invoiceId ?? 'none'} carries no valid MAC`,
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

const termsHaveMacs = macInvariant({
  id: 'M21-invoices',
  title: 'every invoice has the merchant, the type and the amount with which it was created',
  unit: 'invoices',
  table: 'invoice',
  first: firstId,
  scan: async (on, macs, after) =>
    (await readTermsAfter(on, after, rowsAtOnce)).map(({ mac, ...terms }) => ({
      last: terms.id,
      finding: hasTermsMac(macs, terms, mac) ? undefined : `invoice ${terms.id} carries no valid MAC`,
    })),
})

const claimsHaveMacs = macInvariant({
  id: 'M21-claims',
  title: 'every withdraw invoice has the payer and the amount for which it was created',
  unit: 'claims',
  table: 'invoice',
  first: firstId,
  scan: async (on, macs, after) =>
    (await readStoredClaims(on, after, rowsAtOnce)).map(({ mac, ...facts }) => ({
      last: facts.invoiceId,
      finding: hasClaimMac(macs, facts, mac)
        ? undefined
        : `the claim of invoice ${facts.invoiceId} carries no valid MAC`,
    })),
})

const attributionsHaveMacs = macInvariant({
  id: 'M21-attributions',
  title: 'every attribution of unattributed money was written by our process',
  unit: 'attributions',
  table: 'attribution',
  since: 'all',
  first: firstId,
  scan: async (on, macs, after) =>
    (await readAttributionsAfter(on, after, rowsAtOnce)).map((attribution) => ({
      last: attribution.depositId,
      finding: hasAttributionMac(macs, attribution)
        ? undefined
        : `the attribution of transaction ${attribution.depositId} carries no valid MAC`,
    })),
})

const outcomesHaveMacs = macInvariant({
  id: 'M21-outcomes',
  title: 'every decision on an outgoing transaction that moved nothing was written by our process',
  unit: 'outgoing transactions',
  table: 'missing_transfer',
  since: 'all',
  first: '',
  scan: async (on, macs, after) =>
    (await readDecided(on, after, rowsAtOnce)).map(({ mac, ...decided }) => ({
      last: `${decided.outgoingTransactionId} ${decided.blockHash}`,
      finding: hasOutcomeMac(macs, decided, mac)
        ? undefined
        : `the decision on outgoing transaction ${decided.outgoingTransactionId} carries no valid MAC`,
    })),
})

export const macInvariants: readonly Invariant[] = [
  journalsHaveMacs,
  depositsHaveMacs,
  quotesHaveMacs,
  ownersHaveMacs,
  termsHaveMacs,
  claimsHaveMacs,
  attributionsHaveMacs,
  outcomesHaveMacs,
]
