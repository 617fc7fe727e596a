import type { UtxoHotKeyPath } from '../../signing/intent.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { firstKeyPath } from './shape.ts'
import { hotAddress, type UtxoParts } from './utxo-parts.ts'
import { readNextChange } from './utxo-store.ts'

export interface ChangeAddresses {
  /** Returns a new change address, which was never shown to anybody. */
  next(): { readonly keyPath: UtxoHotKeyPath; readonly address: string }
  /** The weight of an output to a change address. */
  readonly weight: number
}

/** Returns a source of new change addresses. The source does not store the addresses. */
export async function openChangeAddresses(parts: UtxoParts, memory: EngineMemory): Promise<ChangeAddresses> {
  let index = await readNextChange(parts.db, parts.network.name)
  const at = (keyPath: UtxoHotKeyPath) => ({ keyPath, address: hotAddress(parts, memory, keyPath) })
  return {
    next: () => {
      index += 1
      return at({ type: 'hot', branch: 1, index: index - 1 })
    },
    weight: parts.drafts.outputWeight(at(firstKeyPath).address),
  }
}
