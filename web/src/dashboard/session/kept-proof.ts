let proof: string | undefined

/** What shows the server that whoever sits here has just typed the password or a code; kept for one action. */
export function keepProof(given: string | undefined): void {
  proof = given
}

export function keptProof(): string | undefined {
  return proof
}
