/**
 * The keys under which the books carry MACs. Whoever writes the database alone, a superuser included, cannot make one:
 * the keys live in a file of the processes that post, and never in a dump.
 */
import { type MacRing, macRing } from './mac-ring.ts'

/** A ring for each kind of row: the MAC of one kind is none of another. */
export interface BooksMacs {
  readonly journal: MacRing
  readonly deposit: MacRing
  readonly quote: MacRing
  readonly assignment: MacRing
  /** Of what a withdraw invoice pays out. */
  readonly claim: MacRing
  /** Of what an operator said of unattributed money. */
  readonly attribution: MacRing
  /** Of what an operator said of a payout that moved nothing. */
  readonly outcome: MacRing
  /** Of the sums of an owner's sealed journals. */
  readonly sealedBalance: MacRing
  /** Of what was proven of the books. */
  readonly proof: MacRing
}

/**
 * @param keys 32 bytes each, the current one first
 * @throws RangeError where there is none, or one has another length
 */
export function booksMacs(keys: readonly Buffer[]): BooksMacs {
  const ring = macRing(keys)
  return {
    journal: ring.forPurpose('journal'),
    deposit: ring.forPurpose('deposit'),
    quote: ring.forPurpose('quote'),
    assignment: ring.forPurpose('assignment'),
    claim: ring.forPurpose('claim'),
    attribution: ring.forPurpose('attribution'),
    outcome: ring.forPurpose('outcome'),
    sealedBalance: ring.forPurpose('sealed balance'),
    proof: ring.forPurpose('proof'),
  }
}
