/**
 * The features that a seed exercises in addition to the plain moves. Each seed exercises only a few features,
 * but often (swarm testing). Most faults appear only after several uses of one feature, and other features
 * would hide them.
 */
import { Dice } from './dice.ts'
import { type DrawnNetworks, drawNetworks } from './world/networks.ts'

export interface Features {
  readonly networks: DrawnNetworks
  /** Whether recipients of payments often behave unusually, for example need much gas. */
  readonly hasHostileRecipients: boolean
  /**
   * Whether senders on a sanctions list pay too, and all senders and recipients are screened. On Ethereum
   * only.
   */
  readonly hasListedSenders: boolean
  /** Whether the database, the signer's log or the checkpoint is restored from an earlier copy. */
  readonly isRestored: boolean
  /**
   * The number of nodes of Ethereum. If there are several, each has its own faults. A UTXO network always has
   * one node.
   */
  readonly nodes: number
  /** Whether the clocks of processes are set to wrong times. */
  readonly hasWrongClocks: boolean
  /**
   * Whether merchants have webhooks and read the feed of events. If so, dispatchers run, and each process
   * checks whether the database was restored to an earlier state.
   */
  readonly hasWebhooks: boolean
  /**
   * An operator must agree to orders that are worth more, alone or with the orders of 24 hours, in 10^-8 USD. Undefined
   * if no order needs an operator. Merchants have some 100 USD in each asset at first.
   */
  readonly approvalAboveUsd: bigint | undefined
}

/** Chooses the features of a seed. */
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
    approvalAboveUsd: dice.chance(0.2) ? dice.pick([20n, 50n, 80n]) * 10n ** 8n : undefined,
  }
  const hasListedSenders = drawn.hasListedSenders && networks.utxo === undefined
  return {
    ...drawn,
    hasListedSenders,
    // Both features make orders wait. The model does not know which order waits for which of the two.
    approvalAboveUsd: hasListedSenders ? undefined : drawn.approvalAboveUsd,
    nodes: networks.hasEthereum ? drawn.nodes : 1,
  }
}
