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
  readonly minimumMinor: bigint
  /** The smallest output that nodes relay. A withdrawal of a smaller amount fails. */
  readonly dustMinor: bigint
}
