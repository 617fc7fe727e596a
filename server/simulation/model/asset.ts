/** An asset as the model needs it. `contract` is null for the network's coin. */
export interface ModelAsset {
  readonly methodId: number
  readonly name: string
  readonly network: string
  /** The kind of the network. On all EVM networks, an invoice has the same address. */
  readonly family: 'evm' | 'utxo'
  readonly contract: string | null
  readonly decimals: number
  readonly isStable: boolean
  /** Whether it is a token whose transfers fail only by an act of its issuer, so that merchants do not bear a failure. */
  readonly isPlain: boolean
  readonly minimumMinor: bigint
  /** The smallest output that nodes relay. A withdrawal of a smaller amount fails. */
  readonly dustMinor: bigint
}
