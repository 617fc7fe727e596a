/**
 * The checks that the signer runs on a request. Transactions of accounts and transactions that spend UTXOs
 * have checks of the same form.
 */
import type { SignedTransaction } from '../../chains/port.ts'
import type { Charge } from './policy.ts'

/**
 * A parsed request and its checks. Whether the request may be signed is not decided until `require` is
 * called.
 */
export interface AuthorizedRequest {
  /**
   * The nonce of a wallet, or the UTXOs, that no other outgoing transaction may use, in the form in which
   * messages show them. All attempts of an outgoing transaction use the first element, so that at most one
   * attempt is ever mined.
   */
  readonly takes: readonly [string, ...string[]]
  /**
   * Checks the request.
   * @throws Refusal if any part of the request is not allowed.
   */
  require(): void
  /**
   * Returns the amounts that count towards limits.
   * @param isRepeated whether an attempt of the outgoing transaction was signed before. Only the fee of a
   *   further attempt counts towards limits.
   */
  charges(isRepeated: boolean): readonly Charge[]
  sign(): Promise<SignedTransaction>
  /** Called after the request was signed, or when it is read from the log at startup. */
  remember(txHash: string): void
}
