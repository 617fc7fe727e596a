/** Checks that the status of every invoice follows from its payments. */
import sql, { type Sql } from 'sql-template-tag'
import { firstId } from '../../../core/ids.ts'
import { readPayments } from '../../../payments/deposits/payments.ts'
import { deriveStatus } from '../../../payments/invoices/status.ts'
import { type ContextRow, inContext, toContext } from '../../../payments/invoices/store.ts'
import { findingsMax, type Invariant, type Snapshot } from '../invariant.ts'
import { inParts } from '../scan.ts'
import { findEnd, keySpaces } from '../stretch.ts'

const batchRows = 500

/**
 * Derives the status of each invoice that has payments again, from the single payments and the rules that
 * applied when the invoice was created. A running Coffer uses stored sums of payments where possible. Both
 * ways must give the same result.
 */
export const invoicesStandAsPaid: Invariant = inParts({
  id: 'M11',
  title: 'the payment status of each invoice follows from its payments and its rules',
  unit: 'invoices with payments',
  parts: [
    {
      table: 'invoice',
      since: 'invoices',
      scan: async (snapshot, { from, rows }) => {
        const next = await findEnd(snapshot.on, keySpaces.invoices, from, rows)
        const end = next === undefined ? sql`` : sql`and invoice.id < ${next}::uuid`
        const which = sql`invoice.id >= ${from ?? firstId}::uuid ${end}`
        return { ...(await scanInvoices(snapshot, which)), rows, next }
      },
      scanIds: async (snapshot, ids) => ({
        ...(await scanInvoices(snapshot, sql`invoice.id = any (${[...ids]}::uuid[])`)),
        rows: ids.length,
        next: undefined,
      }),
    },
  ],
})

async function scanInvoices(
  snapshot: Snapshot,
  which: Sql,
): Promise<{ readonly examined: number; readonly findings: readonly string[] }> {
  const findings: string[] = []
  let examined = 0
  for (let after = firstId; ; ) {
    const rows = await snapshot.on.query<ContextRow>(sql`
      ${inContext}
      where ${which} and invoice.id > ${after} and invoice.type <> 'withdraw'
        and exists (select from deposit where deposit.invoice_id = invoice.id)
      order by invoice.id limit ${batchRows}`)
    examined += rows.length
    findings.push(...(await findWrong(snapshot, rows)).slice(0, findingsMax - findings.length))
    const last = rows.at(-1)
    if (rows.length < batchRows || last === undefined) return { examined, findings }
    after = last.id
  }
}

async function findWrong({ on, methods }: Snapshot, rows: readonly ContextRow[]): Promise<readonly string[]> {
  const ids = rows.map(({ id }) => id)
  const payments = await readPayments(methods, on, ids, 'each')
  return rows.map(toContext).flatMap(({ invoice, rules }) => {
    const { state, exceptions } = deriveStatus(invoice, payments.get(invoice.id) ?? [], rules)
    const stored = [invoice.state, ...invoice.exceptions].join(' ')
    const derived = [state, ...exceptions].join(' ')
    return stored === derived ? [] : [`invoice ${invoice.id} is ${stored}; its payments make it ${derived}`]
  })
}
