/**
 * A proof of the books. It contains the seal up to which a run found no violation, and the sums of each
 * account's lines up to that seal. A later run continues from the proof and need not check everything again.
 * Write access to the database is not enough to make the proof's MAC. An attacker who restores an older proof
 * gains nothing, because it is still true.
 */
import type { BooksMacs } from '../../core/books-macs.ts'
import type { LineSums } from './books/summed-lines.ts'

/** The check that made a proof. `verify` checks every invariant, `continuous` only some invariants. */
export type Prover = 'verify' | 'continuous'

export interface Proof {
  readonly prover: Prover
  /** The hash, in hex, of the seal up to which the sums go; undefined if nothing was sealed. */
  readonly hash: string | undefined
  readonly sums: LineSums
  readonly beganAt: Date
  /** The time when the last complete check of all rows began; undefined if that is not known. */
  readonly fullAt: Date | undefined
}

export function proofMac(macs: BooksMacs, proof: Proof): string {
  return macs.proof.mac(macText(proof))
}

export function hasProofMac(macs: BooksMacs, proof: Proof, mac: string): boolean {
  return macs.proof.verify(macText(proof), mac)
}

function macText({ prover, hash, sums, beganAt, fullAt }: Proof): string {
  return JSON.stringify([
    'coffer/proof/1',
    prover,
    String(sums.sequence),
    hash ?? null,
    beganAt.toISOString(),
    fullAt?.toISOString() ?? null,
    ...sumsText(sums),
  ])
}

/**
 * Returns the sums in the canonical form in which they are stored: ordered by account, with amounts as
 * decimal numbers.
 */
export function sumsText({ accounts }: LineSums): readonly (readonly [string, string, string])[] {
  return [...accounts]
    .toSorted(([one], [other]) => one - other)
    .map(([account, { debitMinor, creditMinor }]) => [
      String(account),
      String(debitMinor),
      String(creditMinor),
    ])
}

export function sumsOf(sequence: number, text: ReturnType<typeof sumsText>): LineSums {
  const accounts = new Map(
    text.map(([account, debit, credit]) => [
      Number(account),
      { debitMinor: BigInt(debit), creditMinor: BigInt(credit) },
    ]),
  )
  return { sequence, accounts }
}
