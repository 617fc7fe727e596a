/** What transactions are made with where money lies in coins: the UTXO family. */
import type { Cursor } from '../../chains/blocks/block.ts'
import type { UtxoNetwork } from '../../chains/networks.ts'
import type { AddressCodec } from '../../chains/port.ts'
import type { AccountXpubs, CoinDrafts, CoinSender, KeyPlace } from '../../chains/utxo/coin-port.ts'
import { required } from '../../core/assert.ts'
import type { CoinPlace, HotPlace } from '../../signing/intent.ts'
import { type MachineParts, settledHeight } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { TrustedHeights } from './coin-store.ts'

export interface CoinParts extends MachineParts {
  readonly network: UtxoNetwork
  readonly sender: CoinSender
  readonly drafts: CoinDrafts
  readonly addresses: AddressCodec
  /** The account of the deposit addresses, as it is configured; the signer must attest the same. */
  readonly xpub: string
  /** The operator's own, in canonical spelling; undefined where none is set. */
  readonly coldAddress?: string | undefined
}

/** The accounts' keys, of which the signer shows the hot wallet's. */
export function xpubsOf({ xpub }: CoinParts, { hotXpub }: Pick<MachineMemory, 'hotXpub'>): AccountXpubs {
  return { 0: xpub, 1: required(hotXpub, 'the key of the hot wallet, which was not attested,') }
}

export function hotAddress(
  parts: CoinParts,
  memory: Pick<MachineMemory, 'hotXpub'>,
  { branch, index }: HotPlace,
): string {
  const { 1: hotXpub } = xpubsOf(parts, memory)
  return required(parts.addresses.derive(hotXpub, branch, index, 1)[0], 'an address')
}

/** Up to where blocks are trusted when ours end at `cursor`. */
export function trustedAt(parts: CoinParts, cursor: Pick<Cursor, 'height' | 'finalHeight'>): TrustedHeights {
  const finalHeight = settledHeight(parts, cursor)
  // Of several attempts another one may be mined after a reorganisation, which makes another coin.
  const changeHeight = parts.network.chain.canReplace ? finalHeight : cursor.height
  return { height: cursor.height, finalHeight, changeHeight }
}

export function keyOf({ type, branch, index }: CoinPlace): KeyPlace {
  return { account: type === 'deposit' ? 0 : 1, branch, index }
}

export function placeOf({ account, branch, index }: KeyPlace): CoinPlace {
  if (account === 0) return { type: 'deposit', branch, index }
  return { type: 'hot', branch: branch === 0 ? 0 : 1, index }
}
