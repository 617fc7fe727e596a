/** Decides which orders may end although no transaction of theirs has ended. */
import { AlertError, fail, type Problem } from '../../../core/errors.ts'
import { noteTamperings, type Tampering } from '../../../platform/audit/tampering-store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { findSent } from '../outgoing-store.ts'
import { after, type Withdrawal } from '../withdrawal.ts'
import { type Ordered, readAsOrdered } from './as-ordered.ts'

export interface Endable {
  /** The withdrawals that may end, as they were ordered. */
  readonly endable: readonly Ordered[]
  /** The errors of the others, by withdrawal id. */
  readonly errors: ReadonlyMap<string, Problem | AlertError>
}

/**
 * Decides which locked withdrawals may end before a transaction is planned for them. Somebody may have changed
 * a row so that its withdrawal seems not to be sent yet. Such a withdrawal does not end, and the change is
 * recorded as tampering. A withdrawal does not end either if it is not known whether its money is held.
 *
 * Throw the errors only after the commit, because the records of tampering would be rolled back otherwise.
 */
export async function findEndable(
  methods: PaymentMethods,
  tx: Tx,
  rows: readonly Withdrawal[],
): Promise<Endable> {
  const unplanned = rows.filter(isUnplanned)
  const sent = await findSent(tx, unplanned)
  await noteTamperings(tx, unplanned.filter(({ id }) => sent.has(id)).map(sentTampering))
  const ordered = await readAsOrdered({ methods }, tx, unplanned)
  const endable = ordered.filter((one) => isEndable(one) && !sent.has(one.withdrawal.id))
  const admitted = new Set(endable.map(({ withdrawal }) => withdrawal.id))
  const unreadable = new Set(
    ordered.flatMap(({ money, withdrawal }) => (money === 'unreadable' ? [withdrawal.id] : [])),
  )
  const errors = rows.flatMap((row): [string, Problem | AlertError][] => {
    if (admitted.has(row.id)) return []
    return [[row.id, unreadable.has(row.id) ? tampered(row) : underWay(row, sent)]]
  })
  return { endable, errors: new Map(errors) }
}

function isUnplanned({ status }: Withdrawal): boolean {
  return after(status, 'cancelled') !== undefined
}

function isEndable({ withdrawal, money }: Ordered): boolean {
  return isUnplanned(withdrawal) && money !== 'unreadable'
}

function sentTampering({ id, status: { stage } }: Withdrawal): Tampering {
  const detail = `withdrawal ${id} is ${stage} in its row, but a transaction that pays it is signed. Before payouts resume, find out who changed the database`
  return { subject: `stage of withdrawal ${id}`, detail }
}

function tampered({ id }: Withdrawal): AlertError {
  return new AlertError(
    'withdrawal-tampered',
    `withdrawal ${id} does not end, because a journal of its hold has no valid MAC`,
  )
}

function underWay({ id, status }: Withdrawal, sent: ReadonlySet<string>): Problem {
  const step = sent.has(id) ? 'signed' : (status.stage ?? status.state)
  return fail('withdrawal-under-way', `The withdrawal is ${step}; it can no longer be stopped.`)
}
