/** What the nodes of a network say about an address. `unknown` means that no node answered in time. */
export type ContractAnswer = 'contract' | 'no-contract' | 'unknown'

/** What is known of an address on networks other than that of a withdrawal. */
export interface ForeignContract {
  /** The networks on which the address is a contract. Empty if it is one on the withdrawal's own network too. */
  readonly foundOn: readonly string[]
  /** The networks whose nodes did not answer, so that the address may be a contract there. */
  readonly uncheckedOn: readonly string[]
}

export const noForeignContract: ForeignContract = { foundOn: [], uncheckedOn: [] }

/**
 * Decides what is reported. An address that is a contract on the withdrawal's own network can receive money
 * there, so other networks do not matter. If the own network does not answer, a contract elsewhere is reported,
 * because money that is sent to somebody else's address cannot be recovered.
 */
export function checkForeignContract(
  own: ContractAnswer,
  others: ReadonlyMap<string, ContractAnswer>,
): ForeignContract {
  if (own === 'contract') return noForeignContract
  const networksWith = (answer: ContractAnswer) =>
    [...others].flatMap(([network, one]) => (one === answer ? [network] : []))
  return { foundOn: networksWith('contract'), uncheckedOn: networksWith('unknown') }
}
