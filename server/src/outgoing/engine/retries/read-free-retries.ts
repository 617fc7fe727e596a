import type { Queryable } from '../../../platform/db/pool.ts'
import type { OutgoingSource, Proposal } from '../outgoing-source.ts'
import { findDueRefusals, readRefusals } from './refusal-store.ts'

export interface RetryScope {
  readonly network: string
  readonly outgoingSources: readonly OutgoingSource[]
  /** Assets that must not leave our wallets. */
  readonly halted: ReadonlySet<string>
  readonly max: number
}

/**
 * Returns at most `max` outgoing transactions that the signer refused and that may be planned again now.
 * Leaves out transactions of halted assets, and transactions that must still wait according to their outgoing
 * source (`heldBack`). These do not count towards `max`, so they cannot block others.
 */
export async function readFreeRetries(
  on: Queryable,
  { network, outgoingSources, halted, max }: RetryScope,
): Promise<readonly Proposal[]> {
  const due = await findDueRefusals(on, network, halted)
  const free: Proposal[] = []
  for (let from = 0; from < due.length && free.length < max; from += max) {
    const retries = await readRefusals(on, due.slice(from, from + max))
    const kept = await findHeldBack(on, outgoingSources, retries)
    free.push(...retries.filter(({ id }) => !kept.has(id)))
  }
  return free.slice(0, max)
}

async function findHeldBack(
  on: Queryable,
  outgoingSources: readonly OutgoingSource[],
  retries: readonly Proposal[],
): Promise<ReadonlySet<string>> {
  const held = new Set<string>()
  for (const { kinds, heldBack } of outgoingSources) {
    const own = retries.filter(({ intent }) => kinds.includes(intent.kind))
    if (heldBack === undefined || own.length === 0) continue
    for (const id of await heldBack(on, own)) held.add(id)
  }
  return held
}
