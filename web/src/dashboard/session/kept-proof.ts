let proof: string | undefined

/**
 * Stores the session proof, which shows that the password or a code was just entered. It serves one action.
 */
export function keepProof(given: string | undefined): void {
  proof = given
}

export function keptProof(): string | undefined {
  return proof
}
