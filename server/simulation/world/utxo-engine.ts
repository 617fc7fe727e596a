import { utxoDraftsOf } from '../../src/chains/utxo/encoding/utxo-drafts.ts'
import type { EngineParts } from '../../src/outgoing/engine/engine-parts.ts'
import type { OutgoingSource } from '../../src/outgoing/engine/outgoing-source.ts'
import { overUtxos } from '../../src/outgoing/utxo/utxo-strategy.ts'
import { mostConfirmations } from '../../src/pricing/payment-methods/payment-method.ts'
import { coldAddresses } from '../treasury/cold-addresses.ts'
import type { Handles, UtxoHandles } from './handles.ts'

/** Opens the engine of a UTXO network in the same way as `app/open-engines.ts`. */
export function openUtxoEngine(
  { db, log, signer, methods }: Pick<Handles, 'db' | 'log' | 'signer' | 'methods'>,
  { fixed: { network, addresses, xpub }, reader, sender }: UtxoHandles,
  orders: readonly OutgoingSource[],
): EngineParts {
  return overUtxos({
    db,
    log,
    signer,
    network,
    chain: reader,
    sender,
    addresses,
    xpub,
    drafts: utxoDraftsOf(network),
    coldAddress: coldAddresses.get(network.name),
    outgoingSources: orders,
    mayUndoFinal: true,
    finalDepth: mostConfirmations(methods, network.name),
  })
}
