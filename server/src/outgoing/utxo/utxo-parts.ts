/** The dependencies of the code for outgoing transactions on UTXO chains. */
import type { Cursor } from '../../chains/blocks/block.ts'
import type { UtxoNetwork } from '../../chains/networks.ts'
import type { AddressCodec } from '../../chains/port.ts'
import type { AccountKeyPath, AccountXpubs, UtxoDrafts, UtxoSender } from '../../chains/utxo/utxo-port.ts'
import { required } from '../../core/assert.ts'
import type { UtxoHotKeyPath, UtxoKeyPath } from '../../signing/intent.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { type StrategyParts, settledHeight } from '../engine/engine-parts.ts'
import type { TrustedHeights } from './utxo-store.ts'

export interface UtxoParts extends StrategyParts {
  readonly network: UtxoNetwork
  readonly sender: UtxoSender
  readonly drafts: UtxoDrafts
  readonly addresses: AddressCodec
  /** The configured xpub of the deposit addresses. The signer must attest the same xpub. */
  readonly xpub: string
  /** The operator's cold address in canonical form; undefined if none is set. */
  readonly coldAddress?: string | undefined
}

/**
 * Returns the xpubs of account 0 (deposit addresses) and account 1 (the hot wallet, attested by the signer).
 */
export function xpubsOf({ xpub }: UtxoParts, { hotXpub }: Pick<EngineMemory, 'hotXpub'>): AccountXpubs {
  return { 0: xpub, 1: required(hotXpub, 'the key of the hot wallet, which was not attested,') }
}

export function hotAddress(
  parts: UtxoParts,
  memory: Pick<EngineMemory, 'hotXpub'>,
  { branch, index }: UtxoHotKeyPath,
): string {
  const { 1: hotXpub } = xpubsOf(parts, memory)
  return required(parts.addresses.derive(hotXpub, branch, index, 1)[0], 'an address')
}

/** Returns the heights up to which outputs may be spent if the last booked block is at `cursor`. */
export function trustedAt(parts: UtxoParts, cursor: Pick<Cursor, 'height' | 'finalHeight'>): TrustedHeights {
  const finalHeight = settledHeight(parts, cursor)
  // If transactions can be replaced, change must be final: a reorganisation may mine another attempt with
  // other change.
  const changeHeight = parts.network.chain.canReplace ? finalHeight : cursor.height
  return { height: cursor.height, finalHeight, changeHeight }
}

export function keyOf({ type, branch, index }: UtxoKeyPath): AccountKeyPath {
  return { account: type === 'deposit' ? 0 : 1, branch, index }
}

export function keyPathOf({ account, branch, index }: AccountKeyPath): UtxoKeyPath {
  if (account === 0) return { type: 'deposit', branch, index }
  return { type: 'hot', branch: branch === 0 ? 0 : 1, index }
}
