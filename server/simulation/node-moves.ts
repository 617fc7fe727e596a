/** The moves that affect single nodes. Only seeds with several nodes have these moves. */
import { required } from '../src/core/assert.ts'
import type { Dice } from './dice.ts'
import { transferred } from './world/fixed.ts'
import type { Installation } from './world/installation.ts'
import type { Node, NodeFault } from './world/nodes.ts'
import { addressesOn } from './world/payers.ts'

export const nodePlays = {
  'trouble a node': async (world: Installation, dice: Dice): Promise<string> => {
    const [node, name] = pickNode(world, dice)
    if (dice.chance(0.4)) {
      node.heal()
      return `${name} is well again`
    }
    const fault = dice.pick<NodeFault>(['away', 'lags', 'fails some calls', 'forks', 'forgets its mempool'])
    node.suffer(fault, dice)
    return `${name} ${fault === 'away' ? 'is away' : fault}`
  },
  /**
   * Lets one node report invented payments or failures. At most one node of a network lies at a time, because a quorum
   * cannot detect two nodes that tell the same lie.
   */
  'let a node lie': async (world: Installation, dice: Dice): Promise<string> => {
    const [node, name] = pickNode(world, dice)
    const all = world.nodesOf(node.truth)
    for (const one of all) one.beHonest()
    const { name: network } = node.truth
    const shown = addressesOn(world, network)
    if (shown.length === 0 || dice.chance(0.3)) return `all nodes of ${network} say only what is true`
    // If one of two nodes does not answer, Coffer trusts the other node alone.
    world.model.isDeceived ||= all.length === 2
    if (dice.chance(0.4)) {
      node.deniesSuccess = true
      return `${name} says that payments failed`
    }
    const { address: recipient, amountMinor, methodId } = dice.pick(shown)
    const { contract, name: asset } = required(
      world.assets.find((one) => one.methodId === methodId),
      'the asset of a method',
    )
    world.model.invented.add(asset)
    node.lies.invent({ asset: transferred(contract), recipient, amountMinor })
    return `${name} invents a payment of ${amountMinor} ${asset} to ${recipient.slice(0, 10)}`
  },
}

function pickNode({ nodes }: Installation, dice: Dice): readonly [Node, string] {
  const node = dice.pick(nodes)
  return [node, `node ${node.number} of ${node.truth.name}`]
}
