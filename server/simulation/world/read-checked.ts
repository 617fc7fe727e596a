/** Reads the data that is compared with the model. */
import type { CheckedWorld } from '../model/checked-world.ts'
import { type CheckedChain, ownAddresses, transfersOn } from '../model/transfers.ts'
import type { EvmSide } from './evm-side.ts'
import { fixed } from './fixed.ts'
import type { Installation } from './installation.ts'
import { readPayments } from './read-payments.ts'
import { UtxoSide } from './utxo-side.ts'

export async function readChecked(world: Installation): Promise<CheckedWorld> {
  const { model, assets, sides, evmSides } = world
  const chains = sides.map(checkedChain)
  const ours = ownAddresses({ model, chains })
  const transfers = chains.flatMap((chain) => transfersOn(chain, ours))
  const payments = (await Promise.all(evmSides.map(readPayments))).flat()
  return { model, assets, chains, ours, transfers, payments, charges: await readCharges(world) }
}

/** Returns the network fees that the service charged to failed orders, by order id. */
async function readCharges({ sessions }: Installation): Promise<ReadonlyMap<string, bigint>> {
  const rows = await sessions.look<{ id: string; minor: string }>(
    'select id, network_cost_minor::text as minor from withdrawal where network_cost_minor is not null',
  )
  return new Map(rows.map(({ id, minor }) => [id, BigInt(minor)]))
}

function checkedChain(side: EvmSide | UtxoSide): CheckedChain {
  const { name: network, chain, deepest, lost } = side
  const common = { network, chain, lost, firstMinedMs: (txHash: string) => deepest.firstMinedMs(txHash) }
  if (!(side instanceof UtxoSide))
    return { ...common, hotWallets: fixed.keys.hotWallets, feeTerms: undefined }
  return { ...common, hotWallets: side.fixed.hotWallets, feeTerms: side.feeTerms }
}
