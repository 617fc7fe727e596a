/**
 * The keys of the MACs in the books. The keys are stored in a file of the processes that post journals, and
 * never in the database or its dumps. Therefore nobody can make a valid MAC with write access to the database
 * alone, not even a superuser.
 */
import { type MacKeyRing, macKeyRing } from './mac-key-ring.ts'

/** One ring of MAC keys for each kind of row. A MAC of one kind of row is not valid for another kind. */
export interface BooksMacs {
  readonly journal: MacKeyRing
  readonly deposit: MacKeyRing
  readonly quote: MacKeyRing
  readonly assignment: MacKeyRing
  /** Keys of MACs for the terms of invoices: the amounts that payers are asked for. */
  readonly terms: MacKeyRing
  /** Keys of MACs for claims: the amounts that `withdraw` invoices pay out. */
  readonly claim: MacKeyRing
  /**
   * Keys of MACs for attributions: decisions of operators about which merchant owns an unattributed deposit.
   */
  readonly attribution: MacKeyRing
  /**
   * Keys of MACs for operators' decisions about outgoing transactions that were mined without the expected
   * transfer.
   */
  readonly outcome: MacKeyRing
  /** Keys of MACs for the sums of an owner's sealed journals. */
  readonly sealedBalance: MacKeyRing
  /** Keys of MACs for stored proofs of the books, so that nobody can forge such a proof. */
  readonly proof: MacKeyRing
}

/**
 * @param keys the keys, 32 bytes each, with the current key first
 * @throws RangeError if there is no key, or a key does not have 32 bytes
 */
export function booksMacs(keys: readonly Buffer[]): BooksMacs {
  const keyRing = macKeyRing(keys)
  return {
    journal: keyRing.forPurpose('journal'),
    deposit: keyRing.forPurpose('deposit'),
    quote: keyRing.forPurpose('quote'),
    assignment: keyRing.forPurpose('assignment'),
    terms: keyRing.forPurpose('terms'),
    claim: keyRing.forPurpose('claim'),
    attribution: keyRing.forPurpose('attribution'),
    outcome: keyRing.forPurpose('outcome'),
    sealedBalance: keyRing.forPurpose('sealed balance'),
    proof: keyRing.forPurpose('proof'),
  }
}
