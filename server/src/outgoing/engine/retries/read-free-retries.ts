import type { Queryable } from '../../../platform/db/pool.ts'
import type { PayoutPurpose, Proposal } from '../purpose.ts'
import { findDueRefusals, readRefusals } from './refusal-store.ts'

export interface RetryScope {
  readonly network: string
  readonly purposes: readonly PayoutPurpose[]
  /** Assets whose money must not leave. */
  readonly halted: ReadonlySet<string>
  readonly max: number
}

/**
 * Payouts that the signer refused and that may be planned again now, at most `max`. A payout that a halt of its asset or its
 * own purpose holds back does not count towards `max`, so it cannot hold up the others.
 */
export async function readFreeRetries(
  on: Queryable,
  { network, purposes, halted, max }: RetryScope,
): Promise<readonly Proposal[]> {
  const due = await findDueRefusals(on, network, halted)
  const free: Proposal[] = []
  for (let from = 0; from < due.length && free.length < max; from += max) {
    const retries = await readRefusals(on, due.slice(from, from + max))
    const kept = await findHeldBack(on, purposes, retries)
    free.push(...retries.filter(({ id }) => !kept.has(id)))
  }
  return free.slice(0, max)
}

async function findHeldBack(
  on: Queryable,
  purposes: readonly PayoutPurpose[],
  retries: readonly Proposal[],
): Promise<ReadonlySet<string>> {
  const held = new Set<string>()
  for (const { kinds, heldBack } of purposes) {
    const own = retries.filter(({ intent }) => kinds.includes(intent.kind))
    if (heldBack === undefined || own.length === 0) continue
    for (const id of await heldBack(on, own)) held.add(id)
  }
  return held
}
