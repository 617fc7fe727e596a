/**
 * What was proven of the books, so that it need not be proven again: up to which seal, and what the lines of each account came to
 * there. Whoever writes the database alone cannot make one, and one of before is still true.
 */
import type { BooksMacs } from '../../core/books-macs.ts'
import type { LineSums } from './books/summed-lines.ts'

/** `verify` looks at everything; the check that never ends at part of it. */
export type Prover = 'verify' | 'standing'

export interface Proof {
  readonly prover: Prover
  /** In hex, of the seal up to which the sums go; undefined where nothing was sealed. */
  readonly hash: string | undefined
  readonly sums: LineSums
  readonly beganAt: Date
  /** When everything was last looked at. */
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

/** Sums as they are stored, the same for the same sums: by account, amounts as decimal numbers. */
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
