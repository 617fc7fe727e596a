/** Gives rows of books that carry no MACs theirs, a batch at a time, in the order of their ids. */
import sql from 'sql-template-tag'
import { firstId } from '../../core/ids.ts'
import { depositMac } from '../../payments/deposits/deposit-mac.ts'
import { readTransactionsAfter } from '../../payments/deposits/store.ts'
import { attributionMac } from '../../payments/deposits/unattributed/attribution-mac.ts'
import { readAttributionsAfter } from '../../payments/deposits/unattributed/attribution-store.ts'
import { assignmentMac } from '../../payments/invoices/addresses/assignment-mac.ts'
import { withQuoteMac } from '../../payments/invoices/addresses/quote-mac.ts'
import { readQuotesAfter } from '../../payments/invoices/addresses/quote-store.ts'
import { claimMac } from '../../payments/invoices/claims/claim-mac.ts'
import { readStoredClaims } from '../../payments/invoices/claims/store.ts'
import { macsOf } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

const rowsAtOnce = 1_000

/** A row's id with the MAC that it gets. */
export interface MacedRow {
  readonly id: string
  readonly mac: string
}

/** @returns how many there were */
export async function macDeposits(tx: Tx): Promise<number> {
  const macs = macsOf(tx)
  return inBatches(firstId, async (after) => {
    const deposits = await readTransactionsAfter(tx, after, rowsAtOnce)
    const maced = deposits.map((deposit) => ({ id: deposit.id, mac: depositMac(macs, deposit) }))
    await tx.query(sql`
      update transaction set mac = made.mac
      from unnest(${idsOf(maced)}::uuid[], ${macTextsOf(maced)}::text[]) made (id, mac)
      where transaction.id = made.id`)
    return maced
  })
}

/** @returns how many there were */
export async function macQuotes(tx: Tx): Promise<number> {
  const macs = macsOf(tx)
  return inBatches(firstId, async (after) => {
    const quotes = await readQuotesAfter(tx, after, rowsAtOnce)
    const maced = quotes.map(({ quote, invoice }) => ({
      id: quote.id,
      mac: withQuoteMac(macs, quote, invoice).mac,
    }))
    await tx.query(sql`
      update quote set mac = made.mac
      from unnest(${idsOf(maced)}::uuid[], ${macTextsOf(maced)}::text[]) made (id, mac)
      where quote.id = made.id`)
    return maced
  })
}

interface AddressRow {
  readonly id: string
  readonly family: string
  readonly address: string
  readonly branch: number
  readonly index: number
  readonly network: string
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly merchantId: string
  readonly amountUsd: string
}

/** @returns how many were given to an invoice; one that is nobody's carries no MAC */
export async function macAddresses(tx: Tx): Promise<number> {
  const macs = macsOf(tx)
  return inBatches('0', async (after) => {
    const rows = await tx.query<AddressRow>(sql`
      select address.id::text as id, family, address, branch, index, network, invoice_id as "invoiceId",
        address.payment_method_id as "paymentMethodId", address.merchant_id as "merchantId",
        amount_usd::text as "amountUsd"
      from address join invoice on invoice.id = address.invoice_id
      where address.id > ${after}::bigint and assigned_at is not null
      order by address.id limit ${rowsAtOnce}`)
    const maced = rows.map((row) => {
      const { network, invoiceId, paymentMethodId, merchantId } = row
      const assignment = { network, invoiceId, paymentMethodId, merchantId, amountUsd: BigInt(row.amountUsd) }
      return { id: row.id, mac: assignmentMac(macs, row, assignment) }
    })
    await tx.query(sql`
      update address set assignment_mac = made.mac
      from unnest(${idsOf(maced)}::bigint[], ${macTextsOf(maced)}::text[]) made (id, mac)
      where address.id = made.id`)
    return maced
  })
}

/** @returns how many withdraw invoices there were */
export async function macClaims(tx: Tx): Promise<number> {
  const macs = macsOf(tx)
  return inBatches(firstId, async (after) => {
    const claims = await readStoredClaims(tx, after, rowsAtOnce)
    const maced = claims.map((claim) => ({ id: claim.invoiceId, mac: claimMac(macs, claim) }))
    await tx.query(sql`
      update invoice set claim_mac = made.mac
      from unnest(${idsOf(maced)}::uuid[], ${macTextsOf(maced)}::text[]) made (id, mac)
      where invoice.id = made.id`)
    return maced
  })
}

/** @returns how many there were */
export async function macAttributions(tx: Tx): Promise<number> {
  const macs = macsOf(tx)
  return inBatches(firstId, async (after) => {
    const attributions = await readAttributionsAfter(tx, after, rowsAtOnce)
    const maced = attributions.map((one) => ({ id: one.transactionId, mac: attributionMac(macs, one) }))
    await tx.query(sql`
      update attribution set mac = made.mac
      from unnest(${idsOf(maced)}::uuid[], ${macTextsOf(maced)}::text[]) made (id, mac)
      where transaction_id = made.id`)
    return maced
  })
}

async function inBatches(
  first: string,
  macNext: (after: string) => Promise<readonly MacedRow[]>,
): Promise<number> {
  let count = 0
  for (let after: string | undefined = first; after !== undefined; ) {
    const maced: readonly MacedRow[] = await macNext(after)
    count += maced.length
    after = maced.at(-1)?.id
  }
  return count
}

function idsOf(rows: readonly MacedRow[]): string[] {
  return rows.map(({ id }) => id)
}

function macTextsOf(rows: readonly MacedRow[]): string[] {
  return rows.map(({ mac }) => mac)
}

/** The journals, and then the seals, must be open to their owner's changes (`openForMacs`). */
export async function saveJournalMacs(tx: Tx, maced: readonly MacedRow[]): Promise<void> {
  await tx.query(sql`
    update journal set mac = made.mac
    from unnest(${idsOf(maced)}::uuid[], ${macTextsOf(maced)}::text[]) made (id, mac)
    where journal.id = made.id`)
}

/** Gives seals their new hashes, from one sequence on without a gap. */
export async function saveSealHashes(tx: Tx, from: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.query(sql`
    update journal_seal set hash = made.hash
    from unnest(${hashes.map((_, place) => from + place)}::bigint[], ${[...hashes]}::bytea[]) made (sequence, hash)
    where journal_seal.sequence = made.sequence`)
}
