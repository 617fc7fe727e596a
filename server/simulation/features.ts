/**
 * The features that a seed exercises in addition to the plain moves. Each seed exercises only a few features,
 * but often (swarm testing). Most faults appear only after several uses of one feature, and other features
 * would hide them.
 */
import { type AttackName, drawAttack } from './attacker/attacks.ts'
import { Dice } from './dice.ts'
import { type DrawnNetworks, drawNetworks } from './world/networks.ts'

export interface Features {
  readonly networks: DrawnNetworks
  /** Whether recipients of payments often behave unusually, for example need much gas. */
  readonly hasHostileRecipients: boolean
  /**
   * Whether senders on a sanctions list pay too, and all senders and recipients are screened. Only in seeds on
   * EVM networks alone.
   */
  readonly hasListedSenders: boolean
  /** Whether the database, the signer's log or the checkpoint is restored from an earlier copy. */
  readonly isRestored: boolean
  /**
   * The number of nodes of each EVM network. If there are several, each has its own faults. A UTXO network always has
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
  /** Whether the operator withdraws its own money to the cold address. */
  readonly hasTreasury: boolean
  /** Whether the prices of coins change, and payers ask again for addresses. */
  readonly hasPrices: boolean
  /**
   * Whether merchants withdraw payments that reorganisations drop, and later payments repay the debt. On bitcoin only,
   * because the operator's capital in litecoin is too small, and EVM networks drop no final blocks.
   */
  readonly hasDebts: boolean
  /** Whether payers send payments below the minimum, several to one invoice. */
  readonly hasSmallPayments: boolean
  /** Whether payers also pay on networks that their invoice does not offer. Only in seeds with two EVM networks. */
  readonly hasWrongNetworks: boolean
  /** Whether nodes of EVM networks list the transfers of failed transactions. */
  readonly hasListedFailures: boolean
  /** Whether payers pay a minute before the end of an invoice, and the watcher learns of it after the end. */
  readonly hasLastMoments: boolean
  /** Whether merchants order and create invoices under an Idempotency-Key, and repeat these requests. */
  readonly hasKeys: boolean
  /**
   * The limit above which an order, alone or with the orders of 24 hours, needs an approval, in 10^-8 USD. Undefined if
   * no order needs one. Merchants have some 100 USD in each asset at first.
   */
  readonly approvalAboveUsd: bigint | undefined
  /** Whether requests are authenticated, and merchants change their keys and IP lists, are deleted and are restored. */
  readonly hasAccess: boolean
  /** What an attacker does who can write in the database; undefined if there is none. */
  readonly attack: AttackName | undefined
}

/** The share of seeds with an attacker, among the seeds that have no feature of `notCombined`. */
const attackedShare = 0.8

/** Chooses the features of a seed. */
export function drawFeatures(seed: number): Features {
  const dice = new Dice(seed ^ 0xfea7)
  const networks = drawNetworks(seed)
  const hasEvm = networks.evm.length > 0
  const drawn = {
    networks,
    hasHostileRecipients: dice.chance(0.25),
    hasListedSenders: dice.chance(0.2),
    isRestored: dice.chance(0.2),
    hasWrongClocks: dice.chance(0.2),
    nodes: Number(dice.weighted({ '1': 6, '2': 1, '3': 3 })),
    hasWebhooks: dice.chance(0.3),
    // A feature with dice of its own does not change the choices of the other features.
    hasKeys: new Dice(seed ^ 0x1d3e).chance(0.25),
    hasTreasury: new Dice(seed ^ 0x7f31).chance(0.25),
    hasDebts: new Dice(seed ^ 0xdeb7).chance(networks.utxo?.network.name === 'bitcoin' ? 0.8 : 0),
    hasSmallPayments: new Dice(seed ^ 0x5a11).chance(0.25),
    hasWrongNetworks: new Dice(seed ^ 0x3e70).chance(networks.evm.length > 1 ? 0.6 : 0),
    hasListedFailures: new Dice(seed ^ 0xfa11).chance(hasEvm ? 0.15 : 0),
    hasLastMoments: new Dice(seed ^ 0x1a57).chance(0.25),
    // On a UTXO network the model rarely knows which price a payment has.
    hasPrices: new Dice(seed ^ 0x7f6f).chance(hasEvm ? 0.3 : 0.1),
    hasAccess: new Dice(seed ^ 0xacc5).chance(0.4),
    approvalAboveUsd: dice.chance(0.2) ? dice.pick([20n, 50n, 80n]) * 10n ** 8n : undefined,
  }
  const hasListedSenders = drawn.hasListedSenders && networks.utxo === undefined
  const canHaveLimit = !hasListedSenders && !drawn.hasPrices
  // The models of treasury withdrawals, prices and approvals do not take debts into account.
  const hasDebts =
    drawn.hasDebts && !drawn.hasTreasury && !drawn.hasPrices && drawn.approvalAboveUsd === undefined
  // A deleted merchant gets no events, and its requests under keys stay without an answer.
  const hasAccess = drawn.hasAccess && !drawn.hasWebhooks && !drawn.hasKeys
  return {
    ...drawn,
    hasListedSenders,
    // The model cannot distinguish an order that waits for the screening of a listed sender's money from an order that
    // waits for an operator. It also compares orders with the limit at prices that never change.
    approvalAboveUsd: canHaveLimit ? drawn.approvalAboveUsd : undefined,
    hasAccess,
    // The restoration of a merchant credits all payments that it received meanwhile, even those below the minimum.
    hasSmallPayments: drawn.hasSmallPayments && !hasAccess,
    nodes: hasEvm ? drawn.nodes : 1,
    hasDebts,
    attack: drawAttackOf(seed, { ...drawn, hasListedSenders, hasAccess, hasDebts }),
  }
}

/**
 * Draws the attack of a seed. Attacks are not combined with features that relax the comparison themselves, or whose
 * checks need payouts, because most attacks halt them.
 */
function drawAttackOf(seed: number, drawn: Pick<Features, NotCombined>): AttackName | undefined {
  const dice = new Dice(seed ^ 0xa77c)
  const isAlone = notCombined.every((feature) => !drawn[feature])
  return isAlone && dice.chance(attackedShare) ? drawAttack(dice) : undefined
}

/** The features that are not combined with an attack. */
const notCombined = [
  'hasListedSenders',
  'isRestored',
  'hasWebhooks',
  'hasTreasury',
  'hasPrices',
  'hasKeys',
  'hasAccess',
  'hasDebts',
] as const satisfies readonly (keyof Features)[]

type NotCombined = (typeof notCombined)[number]
