/** Selects the nonces that a recovery uses up, so that no forgotten transaction can still be mined. Pure. */

/**
 * The nonce below which everything of a lane must be final before anything else is sent from it. A transaction is signed only
 * while fewer than `inFlightMax` of its lane are in no block, and gets the lowest free nonce: forgotten bytes lie below the
 * count of that time plus `inFlightMax`. The count is never lower later, but for a reorganisation: as much again is left
 * for one that takes as many of the lane's transactions back.
 * @param counts all that is shown or known of the lane
 */
export function targetNonce(counts: readonly number[], inFlightMax: number): number {
  return Math.max(0, ...counts) + 2 * inFlightMax
}

/**
 * The nonces of a lane that are filled next: the free ones below the target, of which no more than `inFlightMax` are ever in
 * no block.
 * @param taken those that have a payout, from `latest` on
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
