let proof: string | undefined

/**
 * Stores the session proof, which shows that the user has just entered the password or a code. One session
 * proof is valid for one action.
 */
export function keepProof(given: string | undefined): void {
  proof = given
}

export function keptProof(): string | undefined {
  return proof
}
