/**
 * What a seed exercises besides the plain moves. A seed exercises few features, and those often, because most faults
 * need one feature several times and are hidden by others (swarm testing).
 */
import { Dice } from './dice.ts'
import { type DrawnNetworks, drawNetworks } from './world/networks.ts'

export interface Features {
  readonly networks: DrawnNetworks
  /** Whether recipients of payments often behave in their own way. */
  readonly hasHostileRecipients: boolean
  /** Whether senders on a sanctions list pay as well, and all senders and recipients are screened. On Ethereum only. */
  readonly hasListedSenders: boolean
  /** Whether parts of the host are restored from an earlier copy. */
  readonly isRestored: boolean
  /** The number of nodes of Ethereum. If there are several, each has faults of its own. A UTXO network has one. */
  readonly nodes: number
  /** Whether the clocks of processes are set to other times. */
  readonly hasWrongClocks: boolean
  /**
   * Whether merchants have webhooks and read the feed of events. Dispatchers then run, and each process watches the
   * history of its database.
   */
  readonly hasWebhooks: boolean
}

/** Returns the features of a seed. */
export function drawFeatures(seed: number): Features {
  const dice = new Dice(seed ^ 0xfea7)
  const networks = drawNetworks(seed)
  const drawn = {
    networks,
    hasHostileRecipients: dice.chance(0.25),
    hasListedSenders: dice.chance(0.2),
    isRestored: dice.chance(0.2),
    hasWrongClocks: dice.chance(0.2),
    nodes: Number(dice.weighted({ '1': 6, '2': 1, '3': 3 })),
    hasWebhooks: dice.chance(0.3),
  }
  return {
    ...drawn,
    hasListedSenders: drawn.hasListedSenders && networks.utxo === undefined,
    nodes: networks.hasEthereum ? drawn.nodes : 1,
  }
}
