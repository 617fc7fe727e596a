import type { Attestation } from '../../signing/signer-port.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { attestSigner, coldAddressFault, type SignerFault } from '../engine/signer-client/attest.ts'
import { assetFaultOf } from '../engine/signer-client/attested-limits.ts'
import { insertLanes, isDerived, readLanes } from '../engine/wallet-store.ts'
import type { AccountParts } from './account-parts.ts'

/**
 * Has the signer show its lanes.
 * @returns whether they are ours
 * @throws SignerAwayError
 */
export async function attestLanes(parts: AccountParts, memory: MachineMemory): Promise<boolean> {
  const attested = await attestSigner(parts, memory, {
    findFault: (shown) => findFault(parts, shown),
    keep: (tx, { lanes }) => insertLanes(tx, parts.network.name, lanes),
  })
  if (attested !== undefined) memory.lanes = attested.lanes
  return attested !== undefined
}

async function findFault(
  parts: AccountParts,
  { depositXpub, lanes, limits }: Attestation,
): Promise<SignerFault | undefined> {
  const { db, network, xpub, coldAddress, countedAs = () => undefined } = parts
  if (depositXpub !== xpub) {
    return {
      cause: 'xpub-foreign',
      detail: 'the signer has another account of deposit addresses than the one configured',
    }
  }
  if (coldAddress !== undefined && (await isOwn(parts, lanes, coldAddress)))
    return coldAddressFault(coldAddress)
  const stored = await readLanes(db, network.name)
  const moved = stored.findIndex((address, lane) => lanes[lane] !== address)
  if (moved !== -1)
    return { cause: 'xpub-foreign', detail: `the signer has another address for lane ${moved} than before` }
  const assetFault = assetFaultOf(limits, network.name, countedAs)
  return assetFault === undefined ? undefined : { cause: 'signer-answer', detail: assetFault }
}

async function isOwn(
  { db, codec, network }: AccountParts,
  lanes: readonly string[],
  address: string,
): Promise<boolean> {
  return [...lanes, codec.delegateOf(lanes)].includes(address) || isDerived(db, network.family, address)
}
