/**
 * Decides which nonces a recovery uses up, so that signed transactions that the database may have lost can
 * never be mined. Pure.
 */

/**
 * Returns the target nonce of a hot wallet. All lower nonces must be final before the wallet sends anything
 * else.
 *
 * Suppose that the database lost a signed transaction. Its nonce was the lowest free one when it was planned,
 * and fewer than `inFlightMax` transactions of the wallet were outside a block then. Its nonce is therefore
 * below the transaction count of that time plus `inFlightMax`. A reorganisation may have lowered the count
 * since then. The target therefore adds `inFlightMax` twice: the second time for a reorganisation that undoes
 * up to `inFlightMax` transactions.
 * @param counts the transaction counts of the hot wallet: those that nodes report, and the count of its
 * signed transactions in the database
 */
export function targetNonce(counts: readonly number[], inFlightMax: number): number {
  return Math.max(0, ...counts) + 2 * inFlightMax
}

/**
 * Returns the free nonces below `target` that a hot wallet uses up next. Leaves out nonces from `latest` plus
 * `inFlightMax` on, so that the wallet never has more than `inFlightMax` unmined transactions.
 * @param latest the first nonce that is not mined
 * @param target the nonce below which no nonce may stay free
 * @param taken the nonces from `latest` on that have an outgoing transaction
 */
export function noncesToFill(
  latest: number,
  target: number,
  taken: ReadonlySet<number>,
  inFlightMax: number,
): readonly number[] {
  const end = Math.min(target, latest + inFlightMax)
  const nonces: number[] = []
  for (let nonce = latest; nonce < end; nonce += 1) if (!taken.has(nonce)) nonces.push(nonce)
  return nonces
}
