/** Every invoice stands as its payments say. */
import sql, { type Sql } from 'sql-template-tag'
import { firstId } from '../../../core/ids.ts'
import { readPayments } from '../../../payments/deposits/payments.ts'
import { deriveStanding } from '../../../payments/invoices/standing.ts'
import { type ContextRow, inContext, toContext } from '../../../payments/invoices/store.ts'
import { findingsMax, type Invariant, type Snapshot } from '../invariant.ts'
import { inParts } from '../look.ts'
import { findEnd, keySpaces } from '../stretch.ts'

const batchRows = 500

/**
 * Derives each paid-into invoice anew from all its payments, one by one, by the rules agreed when it was made. While
 * Coffer runs it adds payments up where it can; this is the longer way, and must come to the same.
 */
export const invoicesStandAsPaid: Invariant = inParts({
  id: 'M11',
  title: 'an invoice is paid, short, over or late exactly as its payments and its rules say',
  unit: 'invoices with payments',
  parts: [
    {
      table: 'invoice',
      since: 'invoices',
      look: async (snapshot, { from, rows }) => {
        const next = await findEnd(snapshot.on, keySpaces.invoices, from, rows)
        const end = next === undefined ? sql`` : sql`and invoice.id < ${next}::uuid`
        const which = sql`invoice.id >= ${from ?? firstId}::uuid ${end}`
        return { ...(await lookAtInvoices(snapshot, which)), rows, next }
      },
      lookAtIds: async (snapshot, ids) => ({
        ...(await lookAtInvoices(snapshot, sql`invoice.id = any (${[...ids]}::uuid[])`)),
        rows: ids.length,
        next: undefined,
      }),
    },
  ],
})

async function lookAtInvoices(
  snapshot: Snapshot,
  which: Sql,
): Promise<{ readonly examined: number; readonly findings: readonly string[] }> {
  const findings: string[] = []
  let examined = 0
  for (let after = firstId; ; ) {
    const rows = await snapshot.on.query<ContextRow>(sql`
      ${inContext}
      where ${which} and invoice.id > ${after} and invoice.type <> 'withdraw'
        and exists (select from transaction where transaction.invoice_id = invoice.id)
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
    const { state, exceptions } = deriveStanding(invoice, payments.get(invoice.id) ?? [], rules)
    const stored = [invoice.state, ...invoice.exceptions].join(' ')
    const derived = [state, ...exceptions].join(' ')
    return stored === derived ? [] : [`invoice ${invoice.id} is ${stored}; its payments make it ${derived}`]
  })
}
