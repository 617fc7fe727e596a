/** Decides which orders may end although no transaction of theirs has ended. */
import { AlertError, fail, type Problem } from '../../../core/errors.ts'
import { noteTamperings, type Tampering } from '../../../platform/audit/tampering-store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { findWithTransaction } from '../outgoing-store.ts'
import { after, type Withdrawal } from '../withdrawal.ts'
import { type Ordered, readAsOrdered } from './as-ordered.ts'
import { remedy } from './remedy.ts'

export interface Endable {
  /** The withdrawals that may end, as they were ordered. */
  readonly endable: readonly Ordered[]
  /** The errors of the others, by withdrawal id. */
  readonly errors: ReadonlyMap<string, Problem | AlertError>
}

/**
 * Decides which locked withdrawals may end before a transaction is planned for them. Somebody may have changed
 * a row so that its withdrawal seems not to be planned yet. Such a withdrawal does not end, and the change is
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
  const paid = await findWithTransaction(
    tx,
    unplanned.map(({ id }) => id),
  )
  await noteTamperings(tx, unplanned.filter(({ id }) => paid.has(id)).map(stageTampering))
  const ordered = await readAsOrdered({ methods }, tx, unplanned)
  const endable = ordered.filter((one) => isEndable(one) && !paid.has(one.withdrawal.id))
  const admitted = new Set(endable.map(({ withdrawal }) => withdrawal.id))
  const byId = new Map(ordered.map((one) => [one.withdrawal.id, one]))
  const errors = rows.flatMap((row): [string, Problem | AlertError][] =>
    admitted.has(row.id) ? [] : [[row.id, errorOf(byId.get(row.id), row, paid)]],
  )
  return { endable, errors: new Map(errors) }
}

function isUnplanned({ status }: Withdrawal): boolean {
  return after(status, 'cancelled') !== undefined
}

function isEndable({ withdrawal, money }: Ordered): boolean {
  return isUnplanned(withdrawal) && money !== 'unreadable'
}

/** Describes a withdrawal whose row says that nothing is planned, although a stored transaction pays it. */
export function stageTampering({ id, status: { stage } }: Withdrawal): Tampering {
  const detail = `withdrawal ${id} is ${stage} in its row, but a stored transaction pays it. ${remedy}`
  return { subject: `stage of withdrawal ${id}`, detail }
}

function errorOf(
  ordered: Ordered | undefined,
  { id, status }: Withdrawal,
  paid: ReadonlySet<string>,
): Problem | AlertError {
  if (ordered?.money === 'unreadable') {
    return new AlertError(
      'withdrawal-tampered',
      `withdrawal ${id} does not end, because a journal of its hold has no valid MAC`,
    )
  }
  const booked = ordered?.money === 'ended' ? ordered.withdrawal.status.state : undefined
  const step = booked ?? (paid.has(id) ? 'planned' : (status.stage ?? status.state))
  return fail('withdrawal-under-way', `The withdrawal is ${step}; it can no longer be stopped.`)
}
